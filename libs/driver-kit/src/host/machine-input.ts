import { Secret, TerminalError, type JsonObject } from '@windlass/foundation';
import { SOURCES, type HostTarget, type Vnfc } from '@windlass/mgmt-driver';
import { source, sourced, type GivenInput, type PathTo, type Source } from '@windlass/saga';

/** How to log in, as parameters have it. */
export interface Login {
  username: string;
  /** Schemas of parameters take a number for it too. */
  password: string | number;
}

/** A VM as a step's input has it, references resolved: which it is, and how to log in. */
export interface MachineInput extends Login {
  /** As people know it: in messages. */
  name: string;
  vnfc: Vnfc;
  /** The CP whose address is logged in to; a floating IP of it comes first. */
  sshCp: string;
}

/**
 * Where a VM is and how to get in.
 * @throws TerminalError `node.no-address` where its CP has none
 */
export function targetOf({ vnfc, sshCp, username, password }: MachineInput): HostTarget {
  const cp = vnfc.cps.find(({ cpdId }) => cpdId === sshCp);
  const address = cp?.floatingIp ?? cp?.addresses[0];
  if (address === undefined)
    throw new TerminalError('node.no-address', `the CP ${sshCp} of ${vnfc.name} has no address to log in to`);
  return { resourceId: vnfc.resourceId, address, username, password: new Secret(String(password)) };
}

/** Which machine a step works on, and where its login stands. */
export interface MachineGiven<Params> {
  name: string;
  vnfcId: string;
  sshCp: string;
  /** The instantiation's `additionalParams`; see {@link paramsSource}. */
  params: Source<Params>;
  login: (params: PathTo<Params>) => PathTo<Login>;
}

/** A {@link MachineInput} for a plan: machine, address and login are put in when the step is claimed, so the plan holds no secret. */
export const machineReference = <Params>({
  name,
  vnfcId,
  sshCp,
  params,
  login,
}: MachineGiven<Params>): GivenInput<MachineInput> => ({
  name,
  sshCp,
  vnfc: sourced(source<Vnfc>(SOURCES.vnfc(vnfcId))),
  username: sourced(params, (of) => login(of).username),
  password: sourced(params, (of) => login(of).password),
});

/** `additionalParams` in the type that their schema gives them, which lcm-api compared them with; secrets masked where they are shown so. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the one place where a driver says what its schema holds
export const paramsAs = <Params>(additionalParams: JsonObject): Params => additionalParams as Params;

/** The instantiation's `additionalParams` as a source of inputs, in the type that their schema gives them, secrets and all. */
export const paramsSource = <Params>(): Source<Params> => source<Params>(SOURCES.instantiateParams);
