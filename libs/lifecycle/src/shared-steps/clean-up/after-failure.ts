import { InvariantError, type Json } from '@windlass/foundation';
import { clusterVimId } from '@windlass/mgmt-driver';
import type { JournalTransaction, StepRecord } from '@windlass/saga';
import type { VimConnectionInfo } from '@windlass/sol003';
import { releaseImages } from './release-images.js';
import { refersToImages } from '../images/share-images.js';
import { shareImageAction } from '../../stack/infra-actions.js';
import { INFRA_SERVICE } from '../../records/services.js';
import { vimsDescribedIn } from '../../records/described-tls.js';
import { connectivityOf } from '../../records/desired-state.js';
import { stackNameOf } from '../../records/names.js';
import type { Leftovers, OpOccRecord, StackIdentity } from '../../records/records.js';
import type { FailedOperation } from '../../operation/operation-definition.js';
import { internalVimOf } from './internal-vim.js';
import { isRemoval } from './removal-steps.js';

/** Steps that may have made or changed something. */
export const workedSteps = ({ steps }: JournalTransaction): StepRecord[] =>
  steps.filter(({ everClaimed, traits, id }) => everClaimed && traits.inline !== true && !isRemoval(id));

/** For an operation on an existing VNF: begins a refresh, which publishes what is really there. */
export async function beginRefresh({
  store,
  tx,
  opOcc: { id, tenant, operation, request, vnfInstanceId },
}: FailedOperation): Promise<void> {
  if (workedSteps(tx).length === 0) return;
  const instance = await store.instance(tx.handle, vnfInstanceId);
  if (instance.instantiated === null) return;
  const { vim: choice, stack, images, objects, vnfcs, sharedCps, info } = instance.instantiated;
  const vim = await internalVimOf(store, tx.handle, instance, choice, request);
  const { model } = await store.package(tx.handle, instance.vnfPkgId);
  const flavour = model.flavours.find((each) => each.id === info.flavourId);
  if (flavour === undefined)
    throw new InvariantError(`VNF instance ${instance.id} has flavour ${info.flavourId}, its package none`);
  await store.beginInternal(tx.handle, {
    kind: 'REFRESH',
    tenant,
    vnfInstanceId: instance.id,
    vimId: choice.vimId ?? null,
    subject: {
      vim,
      operationId: id,
      operation,
      stack,
      images,
      ...(objects === undefined ? {} : { objects }),
      vnfcs,
      sharedCps,
      flavour,
      request: connectivityOf(instance.desired) ?? { flavourId: info.flavourId },
    },
  });
}

/** For an operation that makes the VNF: what it may have made stands on the instance's record, until DELETE's clean-up or the next instantiation removes it. */
export async function noteLeftovers({ store, tx, opOcc }: FailedOperation): Promise<void> {
  const worked = workedSteps(tx);
  const { vim } = opOcc.draft;
  if (worked.length === 0 || vim === undefined) return releaseUnlessLeft({ store, tx, opOcc });
  const instance = await store.instance(tx.handle, opOcc.vnfInstanceId);
  const leftovers: Leftovers = {
    stack: await stackMade(tx, worked, instance.id),
    vim,
    images: await imagesMade(tx, worked),
    vims: vimsRegistered(worked, instance.id),
    ...(refersToImages(tx) ? { sharesImages: true } : {}),
  };
  await store.saveInstance(tx.handle, {
    ...instance,
    leftovers,
    vimConnectionInfo: withConnection(instance.vimConnectionInfo, opOcc, vim.connectionId),
  });
}

/** For an operation that was to make the VNF: releases shared images where it left nothing. What an earlier operation left may still use them. */
export async function releaseUnlessLeft({ store, tx, opOcc }: FailedOperation): Promise<void> {
  const instance = await store.instance(tx.handle, opOcc.vnfInstanceId);
  if (instance.leftovers !== null) return;
  const untouched = tx.steps.every(({ action, everClaimed }) => action !== shareImageAction.name || !everClaimed);
  await releaseImages(store, tx.handle, instance, opOcc.draft.vim, opOcc.request, untouched);
}

/** The stack, with its id only where it is known to exist. Without an id, Heat may still be making it. */
async function stackMade(tx: JournalTransaction, worked: readonly StepRecord[], vnfInstanceId: string): Promise<StackIdentity> {
  const created = worked.find(
    ({ service, action, state, phase }) =>
      service === INFRA_SERVICE && action === 'create-stack' && phase === 'do' && state === 'done',
  );
  const output = created === undefined ? undefined : objectOf(await tx.readPayload(created.id, 'output'));
  return (output?.stack as StackIdentity | undefined) ?? { name: stackNameOf(vnfInstanceId) };
}

/** Ids of uploaded images: the id that was asked for, under whose tag every replacement is found, and the id that Glance gave where it is known. */
async function imagesMade(tx: JournalTransaction, worked: readonly StepRecord[]): Promise<string[]> {
  const uploads = worked.filter(({ service, action }) => service === INFRA_SERVICE && action === 'upload-image');
  const asked = await Promise.all(uploads.map(({ id }) => tx.readPayload(id, 'input')));
  const given = await Promise.all(uploads.map(({ id }) => tx.readPayload(id, 'output')));
  return [...new Set([...asked, ...given].flatMap((payload) => textsOf(objectOf(payload)?.imageId)))];
}

/** The id of the cluster's registration, where a step may have made it, even a step that died before its report. A driver may remove no other VIM. */
const vimsRegistered = (worked: readonly StepRecord[], vnfInstanceId: string): string[] =>
  worked.some(({ traits }) => traits.contributes === true) ? [clusterVimId(vnfInstanceId)] : [];

/** Keeps a VIM that only the request described on the record, as long as something lies in that VIM. */
function withConnection(known: readonly VimConnectionInfo[], { request }: OpOccRecord, id: string): VimConnectionInfo[] {
  const described = vimsDescribedIn(request).filter((each) => each.id === id);
  return [...known.filter((each) => each.id !== id || described.length === 0), ...described];
}

const objectOf = (value: Json | undefined) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;

const textsOf = (value: Json | undefined): string[] => (typeof value === 'string' ? [value] : []);
