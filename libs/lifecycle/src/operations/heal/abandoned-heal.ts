import { clusterVimId } from '@windlass/mgmt-driver';
import type { JournalTransaction, StepRecord } from '@windlass/saga';
import type { FailedOperation } from '../../operation/operation-definition.js';
import { addsConnection, publish } from '../../operation/publish.js';
import { healRequestOptions } from './heal-request.js';

/**
 * Records a heal that was marked as failed. Once its pivot was claimed the VNF has changed: the instance gets the draft, as it was last read.
 * While the stack is being recreated nobody has read the new stack yet. Then the stack is recorded by its name alone, so that a termination or a
 * further heal finds whichever stack there is. The next operation's look finds any other difference.
 * After a heal of the whole of a cluster, the cluster is gone. Unless the new cluster is registered, the registration is removed, for it leads to
 * machines that are gone.
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
