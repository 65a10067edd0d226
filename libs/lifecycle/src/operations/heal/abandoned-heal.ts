import { clusterVimId } from '@windlass/mgmt-driver';
import type { JournalTransaction, StepRecord } from '@windlass/saga';
import type { FailedOperation } from '../../operation/operation-definition.js';
import { addsConnection, publish } from '../../operation/publish.js';
import { healRequestOptions } from './heal-request.js';

/**
 * A heal that is left as it is has changed the VNF once its pivot was claimed: the instance gets the draft, as it was last read.
 * While the stack is being made anew nobody has read the new one yet; then it is kept by its name alone, so that a termination,
 * or another heal, finds whichever there is. What differs else is found by the next operation's own look. A VNF that is a cluster, and was
 * healed as a whole, is none any more: unless the new one is registered, the registration goes, for it leads to machines that are gone.
 */
export async function keepAbandonedHeal({ store, tx, opOcc }: FailedOperation): Promise<void> {
  const { instantiated } = opOcc.draft;
  if (!tx.steps.some((step) => step.traits.pivot === true && step.everClaimed)) return;
  const instance = await store.instance(tx.handle, opOcc.vnfInstanceId);
  const now = instantiated ?? instance.instantiated;
  if (now === null) return;
  const unread = claimed(tx, 'delete-stack') && stepOf(tx, 'keep-resources')?.state !== 'done';
  const stack = unread ? { name: now.stack.name } : now.stack;
  const vimId = clusterVimId(instance.id);
  const gone = healRequestOptions(opOcc.request).vnfcIds === null && !(await addsConnection(tx, instance.id, vimId));
  if (gone) await store.unregisterVim(tx.handle, instance.tenant, vimId);
  const vimConnectionInfo = instance.vimConnectionInfo.filter((each) => !gone || each.vimId !== vimId);
  await publish(tx, store, opOcc, { ...instance, vimConnectionInfo, instantiated: { ...now, stack } });
}

const stepOf = (tx: JournalTransaction, id: string): StepRecord | undefined => tx.steps.find((step) => step.id === id);
const claimed = (tx: JournalTransaction, id: string): boolean => stepOf(tx, id)?.everClaimed === true;
