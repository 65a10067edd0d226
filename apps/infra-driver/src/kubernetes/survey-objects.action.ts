import { seconds } from '@windlass/foundation';
import { refOf, surveyObjectsAction, type FoundWorkload, type ObjectRef } from '@windlass/lifecycle';
import type { NodePortService } from '@windlass/mgmt-driver';
import { REPLICATED } from '@windlass/vnf-package';
import { clusterAction } from './cluster-context.js';
import { isOwn, textAt } from './objects.js';
import { vnfcId, vnfOfPods } from './pods-as-vnf.js';
import { nodePortsOf, podsOf } from './read-objects.action.js';
import { wantedPods } from './readiness.js';

/** Looks at what is there of a VNF: its objects, how many pods they shall have, and the pods that there are. */
export const surveyObjects = clusterAction(surveyObjectsAction, {
  apply: async (context) => {
    const { cluster, input } = context;
    const objects: ObjectRef[] = [];
    const missing: ObjectRef[] = [];
    const workloads: FoundWorkload[] = [];
    const nodePorts: NodePortService[] = [];
    for (const ref of input.objects) {
      const there = await cluster.find(ref);
      if (there === undefined || !isOwn(input, there)) {
        missing.push(refOf(ref));
        continue;
      }
      objects.push(refOf(ref));
      nodePorts.push(...nodePortsOf(ref, there));
      if (REPLICATED.has(ref.kind)) workloads.push({ ref: refOf(ref), replicas: wantedPods(there) });
    }
    const own = await podsOf(context);
    const pods = own.map((each) => ({
      vnfcId: vnfcId(input.vnfInstanceId, each),
      namespace: textAt(each.pod, 'metadata', 'namespace') ?? '',
      name: each.pod.metadata.name,
      uid: each.pod.metadata.uid,
      maker: refOf(each.maker),
    }));
    return { objects, missing, workloads, pods, nodePorts, ...vnfOfPods(input, own) };
  },
  retry: { attempts: 5, backoff: seconds(1), growth: 2 },
});
