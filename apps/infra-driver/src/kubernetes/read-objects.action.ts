import { seconds } from '@windlass/foundation';
import {
  inspectObjectsAction,
  readObjectsAction,
  refOf,
  vduOfObject,
  type ObjectRef,
  type ReadObjectsInput,
  type ReadObjectsOutput,
} from '@windlass/lifecycle';
import type { NodePortService } from '@windlass/mgmt-driver';
import { nodePortServiceOf } from '@windlass/vnf-package';
import { clusterAction, type ClusterContext } from './cluster-context.js';
import { isGoing, isOwn, labelsOf, ownSelector, type KubeObject } from './objects.js';
import { namespacesOf } from './await-objects.action.js';
import { vnfOfPods, type OwnPod } from './pods-as-vnf.js';
import { objectMark, OBJECT_LABEL } from './prepared-objects.js';

type Context = ClusterContext<ReadObjectsInput>;

/** Reads a VNF from its pods. */
export const readObjects = clusterAction(readObjectsAction, {
  apply: (context) => vnfOf(context),
  retry: { attempts: 5, backoff: seconds(1), growth: 2 },
});

/** As {@link readObjects}, after a failure, when the objects may be gone. */
export const inspectObjects = clusterAction(inspectObjectsAction, {
  apply: async (context) => {
    const { objects, info, vnfcs, nodePorts = [] } = await vnfOf(context);
    if (objects.length === 0 && vnfcs.length === 0) return { resources: null, images: [] };
    // Missing objects belong to the VNF all the same.
    return { resources: { info, vnfcs, sharedCps: [], nodePorts, objects: context.input.objects.map(refOf) }, images: [] };
  },
  retry: { attempts: 5, backoff: seconds(1), growth: 2 },
});

async function vnfOf(context: Context): Promise<ReadObjectsOutput> {
  const { cluster, input } = context;
  const objects: ObjectRef[] = [];
  const nodePorts: NodePortService[] = [];
  for (const ref of input.objects) {
    const there = await cluster.find(ref);
    if (there === undefined || !isOwn(input, there)) continue;
    objects.push(refOf(ref));
    nodePorts.push(...nodePortsOf(ref, there));
  }
  return { objects, nodePorts, ...vnfOfPods(input, await podsOf(context)) };
}

/** What of an object is reached at ports of the nodes. */
export const nodePortsOf = (ref: ObjectRef, there: KubeObject): NodePortService[] => {
  const found = nodePortServiceOf({ ...there, kind: ref.kind }, ref.namespace ?? '');
  return found === undefined ? [] : [found];
};

/** The pods that are VNFCs, each with the object for which it was made. Pods that are about to end are left out. */
export async function podsOf({ cluster, input }: Pick<Context, 'cluster' | 'input'>): Promise<OwnPod[]> {
  const makers = new Map(input.objects.map((ref) => [objectMark(ref), ref]));
  const pods: OwnPod[] = [];
  for (const namespace of namespacesOf(input.objects)) {
    for (const pod of await cluster.list('v1', 'Pod', { namespace, selector: ownSelector(input) })) {
      const mark = labelsOf(pod)[OBJECT_LABEL];
      const maker = typeof mark === 'string' ? makers.get(mark) : undefined;
      if (maker === undefined || isGoing(pod)) continue;
      const vduId = vduOfObject(input.flavour.vdus, maker);
      if (vduId !== null) pods.push({ pod, maker, vduId });
    }
  }
  return pods;
}
