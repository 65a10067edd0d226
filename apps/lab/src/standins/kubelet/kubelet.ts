import { mkdir } from 'node:fs/promises';
import { watch } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { seconds } from '@windlass/foundation';
import { Informer } from '../client/informer.js';
import { KubeClient } from '../client/kube-client.js';
import { ControlLoop } from '../controllers/control-loop.js';
import type { ContainerRuntime } from '../cri/container-runtime.js';
import type { KubeNode, Pod, Taint } from '../kube/kinds.js';
import { R } from '../kube/resources.js';
import type { Access } from '../client/kubeconfig.js';
import { syncMirrorPods } from './mirror-pods.js';
import { CNI_FOLDER } from './network-addon.js';
import { LEASE_EVERY, NodeAgent } from './node-agent.js';
import { PodRunner } from './pod-runner.js';
import type { StaticPods } from './static-pods.js';

export interface KubeletSetting {
  access: Access;
  nodeName: string;
  hostIp: string;
  version: string;
  runtime: ContainerRuntime;
  labels: Record<string, string>;
  taints: Taint[];
  port: number;
  statics: StaticPods;
  log: (line: string) => void;
}

/** How often the container runtime is asked how it is: the real kubelet's period too. */
const PROBE_EVERY = seconds(5);
/** How often the services of static pods are looked at. */
const MIRROR_EVERY = seconds(10);

/** The part of the kubelet that talks to the API server; it runs until the process ends. Returns what to call when static pods changed. */
export function runKubelet(setting: KubeletSetting): { staticPodsChanged(): void } {
  const { nodeName, hostIp, runtime, log, statics } = setting;
  const client = new KubeClient(setting.access, seconds(5));
  const agent = new NodeAgent({ ...setting, client });
  // The loops need the informers, and these wake the loops.
  const loops: { pods?: ControlLoop; node?: ControlLoop } = {};
  const pods = new Informer<Pod>(
    client,
    R.pods,
    { fieldSelector: `spec.nodeName=${nodeName}` },
    () => loops.pods?.trigger(),
    log,
  );
  const nodes = new Informer<KubeNode>(
    client,
    R.nodes,
    { fieldSelector: `metadata.name=${nodeName}` },
    () => loops.node?.trigger(),
    log,
  );
  const node = (): KubeNode | undefined => nodes.get(nodeName);
  const runner = new PodRunner({ client, nodeName, hostIp, runtime, pods, node, networkReady: () => agent.networkReady, log });
  const podLoop = (loops.pods = new ControlLoop(
    'pods',
    async () => {
      await syncMirrorPods({ client, nodeName, hostIp, pods, node }, statics.all);
      const again = await runner.sync();
      return statics.all.length > 0 && (again === undefined || again > MIRROR_EVERY) ? MIRROR_EVERY : again;
    },
    log,
  ));
  const nodeLoop = (loops.node = new ControlLoop(
    'node status',
    async () => {
      if (await agent.probeRuntime()) podLoop.trigger();
      const present = node();
      if (present !== undefined) nodes.learn(await agent.report(present));
      return PROBE_EVERY;
    },
    log,
  ));
  void follow(agent, { pods, nodes, podLoop, nodeLoop, log });
  return { staticPodsChanged: () => podLoop.trigger() };
}

interface Parts {
  pods: Informer<Pod>;
  nodes: Informer<KubeNode>;
  podLoop: ControlLoop;
  nodeLoop: ControlLoop;
  log: (line: string) => void;
}

/** Registers as soon as the API server answers, then keeps everything going. */
async function follow(agent: NodeAgent, { pods, nodes, podLoop, nodeLoop, log }: Parts): Promise<never> {
  await agent.probeRuntime();
  for (let wait = 200; ; wait = Math.min(wait * 2, 2_000)) {
    try {
      nodes.learn(await agent.register());
      break;
    } catch (error) {
      log(`unable to register node with API server: ${error instanceof Error ? error.message : String(error)}`);
      await pause(wait);
    }
  }
  await Promise.all([pods.start(), nodes.start()]);
  nodeLoop.trigger();
  podLoop.trigger();
  await watchNetwork(() => nodeLoop.trigger());
  for (;;) {
    try {
      await agent.renewLease(nodes.all()[0]);
    } catch (error) {
      log(`failed to renew the node lease: ${error instanceof Error ? error.message : String(error)}`);
    }
    await pause(LEASE_EVERY);
  }
}

/** containerd looks into this folder by itself; the kubelet then asks containerd again at once instead of at its next round. */
async function watchNetwork(changed: () => void): Promise<void> {
  await mkdir(CNI_FOLDER, { recursive: true });
  let pending: NodeJS.Timeout | undefined;
  watch(CNI_FOLDER, () => {
    clearTimeout(pending);
    pending = setTimeout(changed, 200);
  });
}
