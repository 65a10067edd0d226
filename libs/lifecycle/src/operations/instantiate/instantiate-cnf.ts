import { InvariantError, toJsonObject, type JsonObject } from '@windlass/foundation';
import { outputOf, sequence, stepCalled, type PlanNode } from '@windlass/saga';
import type { InstantiateVnfRequestBody } from '@windlass/sol003';
import { flavourOf, nodePortServiceOf } from '@windlass/vnf-package';
import { workedSteps } from '../../shared-steps/clean-up/after-failure.js';
import { removeLeftovers } from '../../shared-steps/clean-up/removal-steps.js';
import { grant } from '../../shared-steps/grant/grant-actions.js';
import { publishInstanceAction } from './instantiate.saga.js';
import { predictWhole, wholeEffect, wholeResources, withKnownFlavour } from './whole-vnf.js';
import { desiredBy } from '../../records/desired-state.js';
import { stackNameOf } from '../../records/names.js';
import type { FailedOperation, OnKubernetes } from '../../operation/operation-definition.js';
import { refuseOnlyClusters, refuseWrongVims } from '../../operation/refuse-wrong-vims.js';
import { inlineAction, defineInlineAction, type InlineActions } from '../../operation/inline-run.js';
import { inlineStep, operationSaga, type SagaContext } from '../../operation/operation-saga.js';
import { notUndone } from '../../stack/stack-step.js';
import {
  applyObjectsAction,
  planObjectsAction,
  readObjectsAction,
  type PlannedObject,
  type ReadObjectsOutput,
} from '../../kubernetes/cluster-actions.js';
import { awaitObjects, manifestsOf, onCluster, plannedObjects, readingPods, refOf } from '../../kubernetes/cluster-steps.js';
import { checkedManifests, namespaceOf, paramsOf } from '../../kubernetes/cnf-request.js';
import { DEF_FILES, NAMESPACE } from '../../records/on-kubernetes.js';
import { withoutManifest } from '../../kubernetes/vdus-and-manifests.js';

/** Puts what was read of the pods into the draft: hooks see it from then on. */
export const keepObjectsAction = defineInlineAction<{ read: ReadObjectsOutput; planned: PlannedObject[] }>('keep-objects');

/** INSTANTIATE on a cluster: ask for the grant, have the cluster look at the objects, apply them, wait for them, publish what runs. */
const saga = operationSaga('INSTANTIATE', (steps) =>
  steps
    .step((context) => sequence(grant(context), planObjects(context)))
    .becomes('PROCESSING')
    .step(removeLeftovers)
    .hook('instantiate', 'start')
    .step(applyObjects)
    .step((context) => awaitObjects(context, plannedObjects))
    .step(readObjects)
    .step(() => inlineStep(keepObjectsAction, { read: outputOf(stepCalled(readObjectsAction)), planned: plannedObjects }))
    .hook('instantiate', 'end')
    .step(() => inlineStep(publishInstanceAction, {})),
);

/** What the manifests are, and how many pods there shall be. */
const manifests = (context: SagaContext) => {
  const { instantiationLevelId } = desiredBy(context.opOcc.request);
  return manifestsOf(context, paramsOf(context.opOcc.request), { instantiationLevelId });
};

const planObjects = (context: SagaContext): PlanNode =>
  notUndone(onCluster(context, planObjectsAction, { manifests: manifests(context) }));

const applyObjects = (context: SagaContext): PlanNode =>
  onCluster(context, applyObjectsAction, { manifests: manifests(context), objects: plannedObjects });

const readObjects = (context: SagaContext): PlanNode =>
  notUndone(onCluster(context, readObjectsAction, { objects: plannedObjects, ...readingPods }));

/** INSTANTIATE of a VNF that consists of containers. */
export const instantiateOnKubernetes: OnKubernetes<InstantiateVnfRequestBody> = {
  plan: saga.plan.bind(saga),
  grant: wholeResources,
  checkBeforeDrivers: async ({ request, package: record, lookups }) => {
    const { vimConnectionInfo = [], additionalParams = {} } = request;
    await refuseWrongVims(vimConnectionInfo, lookups);
    const known = withKnownFlavour(request, record.model);
    const isOfVms = flavourOf(record.model, request.flavourId).baseHot !== undefined;
    if (isOfVms && !Object.hasOwn(additionalParams, DEF_FILES))
      refuseOnlyClusters(vimConnectionInfo, `additionalParams.${DEF_FILES}`);
    await lookups.chooseVim(toJsonObject(known));
    return known;
  },
  checkAfterDrivers: async ({ request, instance, package: record, lookups }) => {
    const params = paramsOf(toJsonObject(request));
    const read = await checkedManifests(params, record, (id, path) => lookups.packagedText(id, path));
    const flavour = flavourOf(record.model, request.flavourId);
    const left = instance.leftovers === null ? [] : ['what a failed operation left is removed first'];
    return [...left, ...unconnected(request), ...withoutManifest(flavour, read.manifests)];
  },
  nodePorts: async ({ request, package: record, lookups }) => {
    const params = paramsOf(request as JsonObject);
    const { manifests: all } = await checkedManifests(params, record, (id, path) => lookups.packagedText(id, path));
    return all.flatMap(({ object }) => nodePortServiceOf(object, namespaceOf(params)) ?? []);
  },
  effect: wholeEffect,
  predictDrafts: predictWhole,
  afterFail: noteObjects,
};

/** Pods are connected by their manifests. */
const unconnected = ({ extVirtualLinks = [], extManagedVirtualLinks = [] }: InstantiateVnfRequestBody): string[] =>
  Object.entries({ extVirtualLinks, extManagedVirtualLinks })
    .filter(([, links]) => links.length > 0)
    .map(
      ([name]) => `/${name} has no effect on a Kubernetes cluster: containers are connected by the manifests of their package`,
    );

/** The inline steps of INSTANTIATE that only VNFs on a cluster have. */
export const instantiateCnfInline: InlineActions = inlineAction(keepObjectsAction, async ({ tx, store, context, input }) => {
  const { opOcc, instance } = context;
  const { vim } = opOcc.draft;
  if (vim === undefined) throw new InvariantError(`operation ${opOcc.id} has no VIM`);
  const { info, vnfcs, nodePorts } = input.read;
  const { [DEF_FILES]: files = [], [NAMESPACE]: namespace = 'default' } = paramsOf(opOcc.request);
  opOcc.draft.instantiated = {
    info: { ...info, metadata: { ...info.metadata, [NAMESPACE]: namespace, [DEF_FILES]: files } },
    stack: { name: stackNameOf(instance.id) },
    vnfcs,
    sharedCps: [],
    vim,
    images: [],
    objects: input.planned.map(refOf),
    ...(nodePorts === undefined ? {} : { nodePorts }),
  };
  await store.saveOpOcc(tx.handle, opOcc);
  return undefined;
});

/** What it may have made stands on the instance's record, until DELETE's clean-up or the next instantiation removes it. */
async function noteObjects({ store, tx, opOcc }: FailedOperation): Promise<void> {
  const { vim } = opOcc.draft;
  if (vim === undefined || !workedSteps(tx).some(({ action }) => action === applyObjectsAction.name)) return;
  const instance = await store.instance(tx.handle, opOcc.vnfInstanceId);
  const planned = (await tx.readPayload(planObjectsAction.name, 'output')) as { objects: PlannedObject[] } | undefined;
  if (planned === undefined) throw new InvariantError(`operation ${opOcc.id} applied objects that nobody has planned`);
  const leftovers = { stack: { name: stackNameOf(instance.id) }, vim, images: [], objects: planned.objects.map(refOf) };
  await store.saveInstance(tx.handle, { ...instance, leftovers });
}
