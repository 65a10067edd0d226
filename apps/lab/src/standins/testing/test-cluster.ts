import { millis, minutes, seconds, waitUntil, type Duration } from '@windlass/foundation';
import { allControllers, runControllers } from '../controllers/manager.js';
import type { Pod } from '../kube/kinds.js';
import { toJson, type KubeObject } from '../kube/object.js';
import { parseCidr } from '../kube/ip-range.js';
import { R, type ResourceType } from '../kube/resources.js';
import { Informer } from '../client/informer.js';
import { podStatus } from '../kubelet/pod-status.js';
import { schedulerController } from '../scheduler/scheduler.js';
import { startTestApi, type TestApi } from './test-api.js';

export interface TestCluster extends TestApi {
  /** Adds a ready node, whose pods run and end at once. */
  addNode(name: string, labels?: Record<string, string>): Promise<void>;
  /** Waits until `look` returns something. */
  eventually<T>(what: string, look: (seen: (last: string) => void) => Promise<T | undefined>): Promise<T>;
  /** Waits until `look` returns something for an object. */
  eventuallyObject<T extends KubeObject>(
    type: ResourceType,
    place: { namespace?: string; name: string },
    fits: (object: T) => boolean,
  ): Promise<T>;
}

/** Starts an API server with all controllers and the scheduler. Nodes run their pods as the kubelet stand-in does. */
export async function startTestCluster(options: { nodeGrace?: Duration } = {}): Promise<TestCluster> {
  const api = await startTestApi();
  const range = parseCidr('10.244.0.0/16');
  const log = (line: string): void => void api.lines.push(line);
  const controllers = allControllers({
    rootCa: api.pki.ca.cert,
    signer: api.pki.ca,
    accountKey: api.pki.accountKey,
    podRange: range === undefined ? undefined : { range, maskSize: 24 },
    nodeGrace: options.nodeGrace ?? minutes(10),
    log,
  });
  const running = await runControllers(api.admin, [...controllers, schedulerController], log);
  const kubelets: Informer<Pod>[] = [];
  const eventually: TestCluster['eventually'] = (what, look) =>
    waitUntil(look, { for: what, within: seconds(60), every: millis(20), growth: 1.2, atMost: millis(200) });
  return {
    ...api,
    addNode: async (name, labels = {}) => {
      await api.admin.create(R.nodes, {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
        status: { conditions: [{ type: 'Ready', status: 'True' }] },
      } as KubeObject);
      const kubelet = new Informer<Pod>(
        api.admin,
        R.pods,
        { fieldSelector: `spec.nodeName=${name}` },
        (pod) => void runPod(api, pod, log),
        log,
      );
      kubelets.push(kubelet);
      await kubelet.start();
    },
    eventually,
    eventuallyObject: <T extends KubeObject>(
      type: ResourceType,
      place: { namespace?: string; name: string },
      fits: (object: T) => boolean,
    ) =>
      eventually<T>(`${type.plural} ${place.name}`, async (seen) => {
        const found = await api.admin.find<T>(type, place);
        seen(JSON.stringify(found));
        return found !== undefined && fits(found) ? found : undefined;
      }),
    close: async () => {
      for (const kubelet of kubelets) kubelet.stop();
      running.stop();
      await api.close();
    },
  };
}

/** Changes a pod as the kubelet stand-in does, without a host. */
async function runPod({ admin }: TestApi, pod: Pod | undefined, log: (line: string) => void): Promise<void> {
  if (pod === undefined) return;
  const place = { namespace: pod.metadata.namespace ?? '', name: pod.metadata.name };
  try {
    if (pod.metadata.deletionTimestamp !== undefined) await admin.delete(R.pods, place, 0);
    else if (pod.status?.phase === 'Pending') {
      const status = podStatus(pod, {
        hostIp: '10.0.0.1',
        podIp: '10.244.0.2',
        stateOf: () => ({ kind: 'running', since: '2025-01-01T00:00:00Z', restarts: 0 }),
      });
      await admin.patch(R.pods, { ...place, subresource: 'status' }, toJson({ status }));
    }
  } catch (error) {
    // The pod has gone meanwhile, or the test is over.
    log(`test kubelet: ${error instanceof Error ? error.message : String(error)}`);
  }
}
