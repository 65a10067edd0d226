import type { JournalTransaction } from '@windlass/saga';
import { resourceChanges } from '@windlass/sol003';
import { contributionIn, type InstantiatedState, type OpOccRecord, type VnfInstanceRecord } from '../model/records.js';
import type { LcmStore } from '../ports.js';

/** Writes the instance with what the steps contribute, by compare and set, and what the operation changed. */
export async function publish(
  tx: JournalTransaction,
  store: LcmStore,
  opOcc: OpOccRecord,
  instance: VnfInstanceRecord,
): Promise<void> {
  const before = await store.instance(tx.handle, instance.id);
  await store.saveInstance(tx.handle, await withContributions(tx, instance));
  opOcc.resourceChanges = resourceChanges(infoOf(before.instantiated), infoOf(instance.instantiated)) ?? null;
  await store.saveOpOcc(tx.handle, opOcc);
}

const infoOf = (state: InstantiatedState | null) => state?.info;

async function withContributions(tx: JournalTransaction, instance: VnfInstanceRecord): Promise<VnfInstanceRecord> {
  let connections = instance.vimConnectionInfo;
  for (const step of tx.steps) {
    if (step.traits.contributes !== true || step.phase !== 'do' || step.state !== 'done') continue;
    const contribution = contributionIn(await tx.readPayload(step.id, 'output'))?.vimConnectionInfo;
    const removed = new Set(contribution?.removeVimIds ?? []);
    const added = contribution?.add ?? [];
    connections = connections.filter(({ vimId, id }) => !removed.has(vimId ?? '') && !added.some((each) => each.id === id));
    connections = [...connections, ...added];
  }
  return { ...instance, vimConnectionInfo: connections };
}
