import { InvariantError, TerminalError } from '@windlass/foundation';
import type { InstantiatedVnfInfo, OperationalState } from '@windlass/sol003';
import { desiredOf } from '../../records/desired-state.js';
import type { ReadStackOutput } from '../../stack/infra-actions.js';
import { hostKeysKnownBy, withKnownHostKeys } from '../../records/known-host-keys.js';
import type { InstantiatedState } from '../../records/records.js';
import { grantWithGrace } from '../../shared-steps/grant/grace.js';
import { grantAction } from '../../shared-steps/grant/grant-actions.js';
import { inlineAction, type InlineActions } from '../../operation/inline-run.js';
import type { SagaContext } from '../../operation/operation-saga.js';
import { publish } from '../../operation/publish.js';
import { graceOf, keepOperatedAction, operated, planOperateAction, publishOperateAction } from './operate.saga.js';

/** The inline steps of OPERATE. */
export const operateInline: InlineActions = {
  ...inlineAction(grantAction, (run) => grantWithGrace(run, graceOf(run.context))),

  /** From here on the draft is what the stack is; hooks are told of the VNFCs that are started or stopped. */
  ...inlineAction(planOperateAction, async ({ tx, store, context, input: { survey } }) => {
    const { opOcc, instance } = context;
    const targets = operated(context);
    opOcc.draft.instantiated = stateFrom(survey, context);
    const now = opOcc.draft.instantiated.vnfcs;
    requireServers(now, targets);
    const ids = new Set(targets.map(({ id }) => id));
    opOcc.draft.affectedVnfcs = now.filter(({ id }) => ids.has(id)).map((vnfc) => ({ changeType: 'MODIFIED', vnfc }));
    const known = new Set(instance.instantiated?.vnfcs.map(({ id }) => id));
    const strange = now.filter(({ id }) => !known.has(id));
    opOcc.warnings.push(
      ...strange.map(
        ({ id, vduId }) => `the stack has a VNFC ${id} (${vduId}) that the VNF instance did not list: it is left as it is`,
      ),
    );
    await store.saveOpOcc(tx.handle, opOcc);
    const states = statesOf(survey.info);
    return { was: Object.fromEntries(targets.map(({ id }) => [id, states.get(id) ?? 'STOPPED'])) };
  }),

  /** A VNF runs as long as one of its VNFCs does. */
  ...inlineAction(keepOperatedAction, async ({ tx, store, context, input: { resources } }) => {
    const { opOcc } = context;
    const state = stateFrom(resources, context);
    const runs = [...statesOf(state.info).values()].includes('STARTED');
    opOcc.draft.instantiated = { ...state, info: { ...state.info, vnfState: runs ? 'STARTED' : 'STOPPED' } };
    await store.saveOpOcc(tx.handle, opOcc);
    return undefined;
  }),

  /** The instance as it is, which is as it should be from now on. */
  ...inlineAction(publishOperateAction, async ({ tx, store, context: { opOcc, instance } }) => {
    const { instantiated } = opOcc.draft;
    if (instantiated === undefined) throw new InvariantError(`operation ${opOcc.id} has nothing to publish`);
    const { vnfState } = instantiated.info;
    await publish(tx, store, opOcc, { ...instance, instantiated, desired: { ...desiredOf(instance), vnfState } });
    return undefined;
  }),
};

function stateFrom(read: ReadStackOutput, { opOcc, instance }: Pick<SagaContext, 'opOcc' | 'instance'>): InstantiatedState {
  if (instance.instantiated === null) throw new InvariantError(`VNF instance ${instance.id} is operated, but not instantiated`);
  const { stack, info, sharedCps } = read;
  const vnfcs = withKnownHostKeys(read.vnfcs, hostKeysKnownBy({ opOcc, instance }));
  return { ...instance.instantiated, stack, info, vnfcs, sharedCps };
}

/** How the VNFCs stand, by their ids: STARTED is what Nova calls ACTIVE, and nothing else. */
const statesOf = ({ vnfcInfo = [] }: InstantiatedVnfInfo): Map<string, OperationalState> =>
  new Map(
    vnfcInfo.flatMap(({ vnfcResourceInfoId, vnfcState }) =>
      vnfcResourceInfoId === undefined ? [] : [[vnfcResourceInfoId, vnfcState]],
    ),
  );

/** @throws TerminalError `operate.no-server` */
function requireServers(
  now: readonly { id: string; resourceId: string }[],
  targets: readonly { id: string; vduId: string }[],
): void {
  const without = targets.filter(({ id }) => !now.some((vnfc) => vnfc.id === id && vnfc.resourceId !== ''));
  if (without.length === 0) return;
  const names = without.map(({ id, vduId }) => `${id} (${vduId})`).join(', ');
  throw new TerminalError('operate.no-server', `the stack has no server for the VNFC ${names}: roll this back and heal it first`);
}
