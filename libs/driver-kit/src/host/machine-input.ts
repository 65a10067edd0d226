import { Secret, TerminalError, type JsonObject } from '@windlass/foundation';
import { SOURCES, type HostTarget, type Vnfc } from '@windlass/mgmt-driver';
import { source, sourced, type GivenInput, type PathTo, type Source } from '@windlass/saga';

/** How to log in, as parameters have it: by password, by key, or by either. */
export interface Login {
  username: string;
  /** For the login, and for sudo where that asks. Schemas of parameters take a number for it too. */
  password?: string | number;
  /** OpenSSH or PEM. */
  private_key?: string;
  /** Of the private key. */
  passphrase?: string | number;
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
export function targetOf({ vnfc, sshCp, username, password, private_key: privateKey, passphrase }: MachineInput): HostTarget {
  const cp = vnfc.cps.find(({ cpdId }) => cpdId === sshCp);
  const address = cp?.floatingIp ?? cp?.addresses[0];
  if (address === undefined)
    throw new TerminalError('node.no-address', `the CP ${sshCp} of ${vnfc.name} has no address to log in to`);
  return {
    resourceId: vnfc.resourceId,
    address,
    username,
    ...(vnfc.createdAt === null ? {} : { createdAt: vnfc.createdAt }),
    ...(password === undefined ? {} : { password: new Secret(String(password)) }),
    ...(privateKey === undefined ? {} : { privateKey: new Secret(privateKey) }),
    ...(passphrase === undefined ? {} : { passphrase: new Secret(String(passphrase)) }),
  };
}

/** Which machine a step works on, and where its login stands. */
export interface MachineGiven<Params> {
  name: string;
  vnfcId: string;
  sshCp: string;
  /** The instantiation's `additionalParams`; see {@link paramsSource}. */
  params: Source<Params>;
  login: (params: PathTo<Params>) => PathTo<Login>;
  /** The same login as the hook shows it, its secrets masked: what is not there is not pointed at. */
  shown: Login;
}

/** A {@link MachineInput} for a plan: machine, address and login are put in when the step is claimed, so the plan holds no secret. */
export const machineReference = <Params>({
  name,
  vnfcId,
  sshCp,
  params,
  login,
  shown,
}: MachineGiven<Params>): GivenInput<MachineInput> => ({
  name,
  sshCp,
  vnfc: sourced(source<Vnfc>(SOURCES.vnfc(vnfcId))),
  username: sourced(params, (of) => login(of).username),
  ...(shown.password === undefined ? {} : { password: sourced(params, (of) => login(of).password) }),
  ...(shown.private_key === undefined ? {} : { private_key: sourced(params, (of) => login(of).private_key) }),
  ...(shown.passphrase === undefined ? {} : { passphrase: sourced(params, (of) => login(of).passphrase) }),
});

/** `additionalParams` in the type that their schema gives them, which lcm-api compared them with; secrets masked where they are shown so. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the one place where a driver says what its schema holds
export const paramsAs = <Params>(additionalParams: JsonObject): Params => additionalParams as Params;

/** The instantiation's `additionalParams` as a source of inputs, in the type that their schema gives them, secrets and all. */
export const paramsSource = <Params>(): Source<Params> => source<Params>(SOURCES.instantiateParams);
