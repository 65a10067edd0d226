import { InvariantError } from '@windlass/foundation';
import {
  changedExtConnectivity,
  ChangeExtVnfConnectivityRequestBody,
  validated,
  type ChangeExtVnfConnectivityRequest,
} from '@windlass/sol003';
import { stackInput } from '@windlass/user-data';
import { flavourOf } from '@windlass/vnf-package';
import { operationTag, vdusInGroups, tagsOf } from '../../stack/heat-request.js';
import { imageRefsOf } from '../../stack/carried-images.js';
import { connectivityOf, desiredOf, grantedInput, type DesiredState } from '../../records/desired-state.js';
import type { ReadStackOutput } from '../../stack/infra-actions.js';
import { hostKeysKnownBy, withKnownHostKeys } from '../../records/known-host-keys.js';
import { deploymentTag } from '../../records/names.js';
import type { InstantiatedState, OpOccRecord } from '../../records/records.js';
import { inlineAction, type InlineActions } from '../../operation/inline-run.js';
import type { SagaContext } from '../../operation/operation-saga.js';
import { publish } from '../../operation/publish.js';
import type { StackUpdate, SurveyStackOutput } from '../../stack/resize-actions.js';
import { undoTag } from '../scale/scale-plan.js';
import { keepConnectedAction, planConnectivityAction, publishConnectivityAction } from './change-ext-conn.saga.js';
import { computedIn, keptAs } from '../../shared-steps/user-data/script-step.js';
import { connectivityChange } from './connectivity-change.js';
import { connectedBy, namesOf, reconnected } from './connectivity-request.js';
import { withConnectionOf } from './vim-connection.js';

/** The inline steps of CHANGE_EXT_CONN. */
export const changeExtConnInline: InlineActions = {
  /** Computes what Heat is asked for, for the change and its undo, in the size that the stack has. From here on the draft holds what the stack is. */
  ...inlineAction(planConnectivityAction, async ({ tx, store, context, input: { survey } }) => {
    const { opOcc } = context;
    const before = desiredOf(context.instance);
    const after = { ...desiredAfter(context), ...keptAs(await computedIn(tx, context)) };
    opOcc.draft.instantiated = stateFrom(survey, context);
    opOcc.draft.connectivity = connectivityChange(before, requestOf(opOcc), survey);
    const named = namesOf(requestOf(opOcc).extVirtualLinks);
    opOcc.draft.affectedVnfcs = connectedBy(named, survey.vnfcs);
    await store.saveOpOcc(tx.handle, opOcc);
    const deployment = deploymentTag(await store.deploymentId(tx.handle));
    const update = (desired: DesiredState, last: string): StackUpdate => ({
      ...stackInput(inputOf(context, desired, survey)),
      tags: tagsOf(context.instance.id, deployment, last),
    });
    const connectivity = connectivityOf(after);
    if (connectivity === undefined) throw new InvariantError(`operation ${opOcc.id} leaves nothing to connect`);
    return { wanted: update(after, operationTag(opOcc.id)), earlier: update(before, undoTag(opOcc.id)), connectivity };
  }),

  ...inlineAction(keepConnectedAction, async ({ tx, store, context, input: { resources } }) => {
    const { opOcc } = context;
    const state = stateFrom(resources, context);
    const touched = new Set(opOcc.draft.affectedVnfcs?.map(({ vnfc }) => vnfc.id));
    opOcc.draft.instantiated = state;
    opOcc.draft.affectedVnfcs = state.vnfcs.filter(({ id }) => touched.has(id)).map((vnfc) => ({ changeType: 'MODIFIED', vnfc }));
    await store.saveOpOcc(tx.handle, opOcc);
    return undefined;
  }),

  /** Publishes the instance as it is connected now; that connectivity is also its desired state. */
  ...inlineAction(publishConnectivityAction, async ({ tx, store, context }) => {
    const { opOcc, instance } = context;
    const { instantiated } = opOcc.draft;
    if (instantiated === undefined) throw new InvariantError(`operation ${opOcc.id} has nothing to publish`);
    const changed = changedExtConnectivity(instance.instantiated?.info, instantiated.info);
    if (changed !== undefined) opOcc.draft.changedExtConnectivity = changed;
    const desired = { ...desiredAfter(context), ...keptAs(await computedIn(tx, context)) };
    const connected = { ...instance, instantiated, desired };
    await publish(tx, store, opOcc, withConnectionOf(requestOf(opOcc), connected));
    return undefined;
  }),
};

export const requestOf = ({ request }: Pick<OpOccRecord, 'request'>): ChangeExtVnfConnectivityRequest =>
  validated(ChangeExtVnfConnectivityRequestBody, request);

function desiredAfter({ opOcc, instance, package: record, flavourId }: SagaContext): DesiredState {
  const flavour = flavourOf(record.model, flavourId);
  return reconnected({ desired: desiredOf(instance), flavour, info: infoOf(instance) }, requestOf(opOcc));
}

const infoOf = ({ id, instantiated }: SagaContext['instance']): InstantiatedState['info'] => {
  if (instantiated === null) throw new InvariantError(`VNF instance ${id} is connected otherwise, but not instantiated`);
  return instantiated.info;
};

/** No member comes or leaves: the groups are of the size that was found. */
function inputOf(context: SagaContext, desired: DesiredState, { info, vnfcs }: SurveyStackOutput) {
  const flavour = flavourOf(context.package.model, context.flavourId);
  return {
    flavour,
    request: desired,
    scaleStatus: info.scaleStatus ?? [],
    vduCounts: Object.fromEntries(
      vdusInGroups(flavour).map((vduId) => [vduId, vnfcs.filter((vnfc) => vnfc.vduId === vduId).length]),
    ),
    computed: desired.computed,
    ...grantedInput(desired, imageRefsOf(context)),
  };
}

function stateFrom({ stack, info, vnfcs, sharedCps }: ReadStackOutput, { opOcc, instance }: SagaContext): InstantiatedState {
  if (instance.instantiated === null) throw new InvariantError(`VNF instance ${instance.id} has no resources`);
  const known = withKnownHostKeys(vnfcs, hostKeysKnownBy({ opOcc, instance }));
  return { ...instance.instantiated, stack, info, vnfcs: known, sharedCps };
}
