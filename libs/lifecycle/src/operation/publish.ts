import { isDeepStrictEqual } from 'node:util';
import type { JournalTransaction, StepRecord } from '@windlass/saga';
import { resourceChanges } from '@windlass/sol003';
import type { ClusterCertificate, InstantiatedState, OpOccRecord, VnfInstanceRecord } from '../records/records.js';
import type { LcmStore } from '../ports.js';
import { contributionOf, notesOf } from './contribution.js';
import { contributorOf } from './driver-bounds.js';

/** Writes the instance with what the steps contribute, by compare and set, what the operation changed, and what its steps tell of it. */
export async function publish(
  tx: JournalTransaction,
  store: LcmStore,
  opOcc: OpOccRecord,
  instance: VnfInstanceRecord,
): Promise<void> {
  const before = await store.instance(tx.handle, instance.id);
  const drivers = [...new Set([...(before.instantiated?.drivers ?? []), ...(opOcc.draft.drivers ?? [])])];
  if (instance.instantiated !== null) {
    // What is read of the VIM holds no certificates: the recorded ones stay until a step has looked at them again.
    const { certificates } = before.instantiated ?? {};
    const kept = certificates === undefined ? {} : { certificates };
    instance.instantiated = { ...kept, ...instance.instantiated, ...(opOcc.draft.drivers === undefined ? {} : { drivers }) };
  }
  const { contributed, notes } = await withContributions(tx, instance);
  await store.saveInstance(tx.handle, contributed);
  opOcc.warnings = [...opOcc.warnings, ...notes];
  opOcc.resourceChanges = resourceChanges(infoOf(before.instantiated), infoOf(instance.instantiated)) ?? null;
  await store.saveOpOcc(tx.handle, opOcc);
}

/**
 * Enters what an operation that does not publish has done to the cluster's registration: an entry must not name a VIM that a step has taken out of
 * the registry. Steps that may still be undone are left out: their undo makes the entry right again. For an operation that was to make the VNF, the
 * registration is among the leftovers.
 * @param stands whether no step will be undone any more
 */
export async function enterContributions(
  tx: JournalTransaction,
  store: LcmStore,
  vnfInstanceId: string,
  { stands }: { stands: boolean },
): Promise<void> {
  const before = await store.instance(tx.handle, vnfInstanceId);
  if (before.instantiated === null) return;
  const { contributed } = await withContributions(tx, before, ({ traits }) => stands || traits.undoable === false);
  if (isDeepStrictEqual(contributed, before)) return;
  await store.saveInstance(tx.handle, contributed);
}

/** Whether a step that is done has entered this VIM in the instance: the cluster that the instance has become is registered. */
export async function addsConnection(tx: JournalTransaction, vnfInstanceId: string, vimId: string): Promise<boolean> {
  for (const step of tx.steps) {
    if (step.traits.contributes !== true || step.phase !== 'do' || step.state !== 'done') continue;
    const output = await tx.readPayload(step.id, 'output');
    const { add = [] } = contributionOf(output, vnfInstanceId, await contributorOf(tx, step))?.vimConnectionInfo ?? {};
    if (add.some((each) => each.vimId === vimId)) return true;
  }
  return false;
}

const infoOf = (state: InstantiatedState | null) => state?.info;

async function withContributions(
  tx: JournalTransaction,
  instance: VnfInstanceRecord,
  counts: (step: StepRecord) => boolean = () => true,
): Promise<{ contributed: VnfInstanceRecord; notes: string[] }> {
  const notes: string[] = [];
  let connections = instance.vimConnectionInfo;
  let looked: Look | undefined;
  for (const step of tx.steps) {
    if (step.traits.contributes !== true || step.phase !== 'do' || step.state !== 'done' || !counts(step)) continue;
    const output = await tx.readPayload(step.id, 'output');
    // A result was checked when it arrived; one that an older release accepted is checked here.
    const whose = await contributorOf(tx, step);
    const { vimConnectionInfo, certificates } = contributionOf(output, instance.id, whose) ?? {};
    if (certificates !== undefined) looked = { at: step.endedAt ?? tx.now, certificates };
    notes.push(...notesOf(output, whose));
    const removed = new Set(vimConnectionInfo?.removeVimIds ?? []);
    const added = vimConnectionInfo?.add ?? [];
    connections = connections.filter(({ vimId, id }) => !removed.has(vimId ?? '') && !added.some((each) => each.id === id));
    connections = [...connections, ...added];
  }
  const instantiated = looked === undefined ? instance.instantiated : withCertificates(instance.instantiated, looked);
  return { contributed: { ...instance, vimConnectionInfo: connections, instantiated }, notes };
}

/** The last look of an operation at the certificates, in the order of its plan. */
interface Look {
  at: Date;
  certificates: ClusterCertificate[];
}

function withCertificates(state: InstantiatedState | null, { at, certificates }: Look): InstantiatedState | null {
  if (state === null) return null;
  const { certificates: _before, ...others } = state;
  if (certificates.length === 0) return others;
  const earliestEnd = Math.min(...certificates.map(({ endsAt }) => endsAt));
  return { ...others, certificates: { lookedAt: at.toISOString(), earliestEnd, certificates } };
}
