import type { JsonObject } from '@windlass/foundation';
import type { VimChoice, VnfInstanceRecord } from '../../records/records.js';
import type { LcmStore } from '../../ports.js';
import type { InternalVim } from '../../records/internal-operation.js';

/** The VIM of a saga that may outlive the instance's row: its id where the registry has it, else all that is needed to use it. */
export async function internalVimOf(
  store: Pick<LcmStore, 'vimAccess'>,
  handle: unknown,
  instance: VnfInstanceRecord,
  choice: VimChoice,
  request: JsonObject = {},
): Promise<InternalVim> {
  if (choice.vimId !== undefined) return { choice };
  return { choice, access: await store.vimAccess(handle, instance.tenant, choice, instance, request) };
}
