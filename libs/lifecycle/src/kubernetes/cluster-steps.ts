import {
  outputOf,
  source,
  sourced,
  stepCalled,
  stepOf,
  type ActionContract,
  type GivenInput,
  type PlanNode,
  type Ref,
  type Step,
} from '@windlass/saga';
import { desiredCounts, flavourOf, instantiationLevel, type Flavour, type WantedSize } from '@windlass/vnf-package';
import { stackNameOf } from '../records/names.js';
import { CONNECTIVITY, DEPLOYMENT_TAG, FLAVOUR, notUndone, vimLimit } from '../stack/stack-step.js';
import type { SagaContext } from '../operation/operation-saga.js';
import {
  awaitObjectsAction,
  planObjectsAction,
  type ManifestsInput,
  type OnCluster,
  type PlannedObject,
} from './cluster-actions.js';
import type { ObjectRef } from '../records/cluster-objects.js';
import type { ClusterAccess } from '../records/vim-access.js';
import { manifestFiles, namespaceOf } from './cnf-request.js';
import type { JsonObject } from '@windlass/foundation';

/** The source of the VIM that the operation works on, where that is a cluster. */
export const CLUSTER = source<ClusterAccess>('vim');

/** A step of the infra driver on the objects of the instance, named after its action. */
export const onCluster = <Input extends OnCluster, Output>(
  context: SagaContext,
  action: ActionContract<Input, Output>,
  input: GivenInput<Omit<NoInfer<Input>, keyof OnCluster>>,
): Step<Output> =>
  stepOf<OnCluster, Output>(action as ActionContract<OnCluster, Output>, {
    target: stackNameOf(context.instance.id),
    limits: vimLimit(context),
    input: { vim: sourced(CLUSTER), vnfInstanceId: context.instance.id, deploymentTag: sourced(DEPLOYMENT_TAG), ...input },
  });

/** The inputs by which pods are read as a VNF. */
export const readingPods = { flavour: sourced(FLAVOUR), request: sourced(CONNECTIVITY) };

/** Where the manifests are. @param params those that the VNF is instantiated with */
export const manifestsOf = (context: SagaContext, params: JsonObject, size: WantedSize): GivenInput<ManifestsInput> => ({
  vnfPkgId: context.package.id,
  files: manifestFiles(params, context.package.files),
  namespace: namespaceOf(params),
  flavour: sourced(FLAVOUR),
  counts: countsSaid(flavourOf(context.package.model, context.flavourId), size),
});

/** How many pods the VNFD wants of each VDU that it says that of. */
export function countsSaid(flavour: Flavour, size: WantedSize): Record<string, number> {
  const level = instantiationLevel(flavour, size.instantiationLevelId);
  const says = (id: string): boolean =>
    flavour.vdus.some((vdu) => vdu.id === id && vdu.initialInstances !== undefined) ||
    flavour.scalingAspects.some(({ deltas }) => deltas.some(({ vduId }) => vduId === id)) ||
    level?.vduInstances.some(({ vduId }) => vduId === id) === true;
  return Object.fromEntries(Object.entries(desiredCounts(flavour, size)).filter(([id]) => says(id)));
}

/** The objects in the order in which they are applied, as they were planned. */
export const plannedObjects = outputOf(stepCalled(planObjectsAction), ({ objects }) => objects);

/** Waits for them. */
export const awaitObjects = (
  context: SagaContext,
  objects: GivenInput<ObjectRef[]> | Ref<ObjectRef[]> | typeof plannedObjects,
): PlanNode => notUndone(onCluster(context, awaitObjectsAction, { objects: objects as GivenInput<ObjectRef[]> }));

/** The reference alone, without the members that come from the manifest. */
export const refOf = ({ apiVersion, kind, namespace, name }: ObjectRef | PlannedObject): ObjectRef => ({
  apiVersion,
  kind,
  namespace,
  name,
});

/** Whether both are the same object, whatever version of its API each was read by. */
export const isSameObject = (one: ObjectRef, other: ObjectRef): boolean =>
  one.kind === other.kind && one.namespace === other.namespace && one.name === other.name;
