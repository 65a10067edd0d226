import { defineInfraAction } from '../../stack/infra-actions.js';
import type { VimAccess } from '../../records/vim-access.js';
import type { StackIdentity } from '../../records/records.js';
import type { StackUpdate } from '../../stack/resize-actions.js';

export interface ReconnectStackInput {
  vim: VimAccess;
  vnfInstanceId: string;
  /** What the stack carries if it is this Windlass's. */
  deploymentTag?: string;
  stack: StackIdentity;
  /** The stack on its new networks: asking twice is asking once. */
  wanted: StackUpdate;
  /** The stack as it was connected. */
  earlier: StackUpdate;
}

/** Reconnects the ports of the stack by one update. The undo reconnects them as they were; the ports are new ones then. */
export const reconnectStackAction = defineInfraAction<ReconnectStackInput>('reconnect-stack');
