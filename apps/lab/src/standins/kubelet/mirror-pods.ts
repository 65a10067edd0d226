import type { Informer } from '../client/informer.js';
import type { KubeClient } from '../client/kube-client.js';
import { unitStates } from '../host/systemd.js';
import type { KubeNode, Pod } from '../kube/kinds.js';
import { deepCopy, sameJson, timestamp, toJson } from '../kube/object.js';
import { R } from '../kube/resources.js';
import { isMirror } from './pod-runner.js';
import { podStatus } from './pod-status.js';
import type { StaticPod } from './static-pods.js';

export interface MirrorSetting {
  client: KubeClient;
  nodeName: string;
  hostIp: string;
  pods: Informer<Pod>;
  node: () => KubeNode | undefined;
}

/** Shows the static pods in the API as mirror pods, with the state of their services. */
export async function syncMirrorPods(setting: MirrorSetting, statics: readonly StaticPod[]): Promise<void> {
  const { client, nodeName, pods } = setting;
  // A node that was deleted under its kubelet has no business there any more.
  if (setting.node() === undefined) return;
  const mirrors = pods.all().filter(isMirror);
  const wanted = new Map(statics.map((entry) => [`${entry.name}-${nodeName}`, entry]));
  for (const mirror of mirrors) {
    const entry = wanted.get(mirror.metadata.name);
    const current = entry !== undefined && mirror.metadata.annotations?.['kubernetes.io/config.mirror'] === entry.hash;
    if (!current || mirror.metadata.deletionTimestamp !== undefined) {
      await client.delete(R.pods, { namespace: mirror.metadata.namespace ?? '', name: mirror.metadata.name }, 0);
    }
  }
  const states = await unitStates(statics.map(({ unit }) => unit));
  for (const [index, entry] of statics.entries()) {
    const name = `${entry.name}-${nodeName}`;
    const present = pods.get(name, entry.pod.metadata.namespace ?? 'kube-system');
    const mirror = present ?? (await createMirror(setting, entry, name));
    const state = states[index];
    await report(setting, mirror, state?.active === true, state?.since ?? '', state?.restarts ?? 0);
  }
}

async function createMirror(
  { client, nodeName, pods, node }: MirrorSetting,
  { hash, pod }: StaticPod,
  name: string,
): Promise<Pod> {
  const mirror = deepCopy(pod);
  mirror.metadata = {
    ...mirror.metadata,
    name,
    namespace: pod.metadata.namespace ?? 'kube-system',
    annotations: {
      ...pod.metadata.annotations,
      'kubernetes.io/config.hash': hash,
      'kubernetes.io/config.mirror': hash,
      'kubernetes.io/config.seen': timestamp(),
      'kubernetes.io/config.source': 'file',
    },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid: node()?.metadata.uid ?? '', controller: true }],
  };
  mirror.spec = { ...mirror.spec, nodeName, tolerations: [{ operator: 'Exists', effect: 'NoExecute' }] };
  const created = await client.create<Pod>(R.pods, mirror);
  pods.learn(created);
  return created;
}

async function report(
  { client, hostIp, pods }: MirrorSetting,
  mirror: Pod,
  active: boolean,
  since: string,
  restarts: number,
): Promise<void> {
  const status = podStatus(mirror, {
    hostIp,
    podIp: hostIp,
    stateOf: () =>
      active
        ? { kind: 'running', since: since === '' ? timestamp() : timestamp(new Date(since)), restarts }
        : {
            kind: 'waiting',
            reason: 'CrashLoopBackOff',
            message: `back-off restarting failed container; see journalctl on the node`,
          },
  });
  if (sameJson(mirror.status, status)) return;
  const place = { namespace: mirror.metadata.namespace ?? '', name: mirror.metadata.name, subresource: 'status' };
  pods.learn(await client.patch<Pod>(R.pods, place, toJson({ status })));
}
