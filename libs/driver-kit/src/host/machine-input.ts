import { Secret, TerminalError, type JsonObject } from '@windlass/foundation';
import { SOURCES, type HostTarget, type Vnfc } from '@windlass/mgmt-driver';
import { sourced } from '@windlass/saga';

/** A VM as a step's input has it, references resolved: which it is, and how to log in. */
export interface MachineInput {
  /** As people know it: in messages. */
  name: string;
  vnfc: Vnfc;
  /** The CP whose address is logged in to; a floating IP of it comes first. */
  sshCp: string;
  username: string;
  /** Schemas of parameters take a number for it too. */
  password: string | number;
}

/** Where a VM is and how to get in. @throws TerminalError `node.no-address` where its CP has none */
export function targetOf({ vnfc, sshCp, username, password }: MachineInput): HostTarget {
  const cp = vnfc.cps.find(({ cpdId }) => cpdId === sshCp);
  const address = cp?.floatingIp ?? cp?.addresses[0];
  if (address === undefined)
    throw new TerminalError('node.no-address', `the CP ${sshCp} of ${vnfc.name} has no address to log in to`);
  return { resourceId: vnfc.resourceId, address, username, password: new Secret(String(password)) };
}

/**
 * A {@link MachineInput} for a plan: address and credentials are put in when the step is claimed.
 * @param access pointer into the instantiation's `additionalParams` to the object with `username` and `password`
 */
export const machineReference = (name: string, vnfcId: string, sshCp: string, access: string): JsonObject => ({
  name,
  sshCp,
  vnfc: sourced(SOURCES.vnfc(vnfcId)),
  username: sourced(SOURCES.instantiateParams, `${access}/username`),
  password: sourced(SOURCES.instantiateParams, `${access}/password`),
});
