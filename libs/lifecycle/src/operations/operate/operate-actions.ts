import type { OperationalState } from '@windlass/sol003';
import { defineInfraAction } from '../../stack/infra-actions.js';
import type { VimAccess } from '../../records/vim-access.js';
import type { StackIdentity } from '../../records/records.js';

export interface PowerServerInput {
  vim: VimAccess;
  vnfInstanceId: string;
  /** What the stack carries if it is this Windlass's. */
  deploymentTag?: string;
  /** The stack that the server is of. */
  stack: StackIdentity;
  vnfcId: string;
  vduId: string;
  /** Nova's id. */
  serverId: string;
  to: OperationalState;
  /** How it stood before the operation: undo takes it back there. */
  was: OperationalState;
}

/** Starts or stops the server of a VNFC and waits until it stands so. Undo takes back what this operation did, and nothing else. */
export const powerServerAction = defineInfraAction<PowerServerInput>('power-server');
