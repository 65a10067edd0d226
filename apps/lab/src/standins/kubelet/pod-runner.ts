import { millis, seconds, type Duration } from '@windlass/foundation';
import type { Informer } from '../client/informer.js';
import type { KubeClient } from '../client/kube-client.js';
import type { ContainerRuntime } from '../cri/container-runtime.js';
import { addressAt, parseCidr } from '../kube/ip-range.js';
import type { Container, KubeNode, PersistentVolumeClaim, Pod, Volume } from '../kube/kinds.js';
import { at, sameJson, timestamp, toJson, type KubeObject } from '../kube/object.js';
import { R, type ResourceType } from '../kube/resources.js';
import { normalizedImage } from './images.js';
import { AddonFailure, addonOf, runNetworkAddon } from './network-addon.js';
import { podStatus, type ContainerState } from './pod-status.js';

export interface RunnerSetting {
  client: KubeClient;
  nodeName: string;
  hostIp: string;
  runtime: ContainerRuntime;
  pods: Informer<Pod>;
  node: () => KubeNode | undefined;
  networkReady: () => boolean;
  log: (line: string) => void;
}

interface Attempt {
  failures: number;
  notBefore: number;
}

const MIRROR = 'kubernetes.io/config.mirror';
export const isMirror = (pod: Pod): boolean => pod.metadata.annotations?.[MIRROR] !== undefined;

/** First pause after a failed start; it doubles up to five minutes, as the kubelet's back-off. */
const FIRST_BACKOFF = seconds(10);
const LAST_BACKOFF = seconds(300);

const NETWORK_NOT_READY =
  'network is not ready: container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized';

/** Makes the pods that are bound to this node look as if they ran: images, volumes, network, then Running; and ends them. */
export class PodRunner {
  readonly #attempts = new Map<string, Attempt>();
  readonly #addresses = new Map<string, string>();

  constructor(private readonly setting: RunnerSetting) {}

  /** Looks at every pod once. Returns when to look again. */
  async sync(): Promise<Duration | undefined> {
    const pods = this.setting.pods.all().filter((pod) => !isMirror(pod));
    let next = Number.POSITIVE_INFINITY;
    for (const pod of pods) next = Math.min(next, await this.#tend(pod));
    const uids = new Set(pods.map((pod) => pod.metadata.uid));
    for (const map of [this.#attempts, this.#addresses]) for (const uid of map.keys()) if (!uids.has(uid)) map.delete(uid);
    return Number.isFinite(next) ? millis(Math.max(next, 100)) : undefined;
  }

  /** Milliseconds until this pod wants to be looked at again. */
  async #tend(pod: Pod): Promise<number> {
    if (pod.metadata.deletionTimestamp !== undefined) {
      await this.setting.client.delete(R.pods, { namespace: pod.metadata.namespace ?? '', name: pod.metadata.name }, 0);
      return Number.POSITIVE_INFINITY;
    }
    if (['Succeeded', 'Failed'].includes(pod.status?.phase ?? '')) return Number.POSITIVE_INFINITY;
    const running = pod.status?.phase === 'Running' && (pod.status.containerStatuses ?? []).every((status) => status.ready);
    const ready = running && pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
    // What the API says of a network add-on is of another machine where this one has nothing that it would have left.
    if (ready && (this.setting.networkReady() || addonOf(pod) === undefined)) return Number.POSITIVE_INFINITY;
    const attempt = this.#attempts.get(pod.metadata.uid ?? '') ?? { failures: 0, notBefore: 0 };
    const wait = attempt.notBefore - performance.now();
    if (wait > 0) return wait;
    return this.#start(pod, attempt);
  }

  async #start(pod: Pod, attempt: Attempt): Promise<number> {
    const waiting = await this.#obstacle(pod);
    if (waiting === undefined) {
      const since = timestamp();
      await this.#report(pod, this.#addressOf(pod), () => ({ kind: 'running', since, restarts: attempt.failures }));
      this.#attempts.delete(pod.metadata.uid ?? '');
      return Number.POSITIVE_INFINITY;
    }
    await this.#report(pod, undefined, () => waiting);
    if (waiting.reason === 'ContainerCreating') return 1_000;
    const pause = Math.min(FIRST_BACKOFF * 2 ** attempt.failures, LAST_BACKOFF);
    this.#attempts.set(pod.metadata.uid ?? '', { failures: attempt.failures + 1, notBefore: performance.now() + pause });
    return pause;
  }

  /** What keeps the pod's containers from running; undefined if nothing does. */
  async #obstacle(pod: Pod): Promise<(ContainerState & { kind: 'waiting' }) | undefined> {
    if (pod.spec.hostNetwork !== true && !this.setting.networkReady())
      return { kind: 'waiting', reason: 'ContainerCreating', message: NETWORK_NOT_READY };
    const volume = await this.#missingVolume(pod);
    if (volume !== undefined) return { kind: 'waiting', reason: 'ContainerCreating', message: volume };
    for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
      const failure = await this.#imageFailure(container);
      if (failure !== undefined) return failure;
    }
    try {
      await runNetworkAddon(pod, { client: this.setting.client, node: this.setting.node(), nodeName: this.setting.nodeName });
      return undefined;
    } catch (error) {
      if (!(error instanceof AddonFailure)) throw error;
      this.setting.log(`pod ${pod.metadata.name}: ${error.message}`);
      return { kind: 'waiting', reason: 'CrashLoopBackOff', message: `back-off restarting failed container: ${error.message}` };
    }
  }

  async #missingVolume(pod: Pod): Promise<string | undefined> {
    const namespace = pod.metadata.namespace ?? '';
    const missing = async (type: ResourceType, name: string | undefined): Promise<boolean> =>
      name !== undefined && (await this.setting.client.find<KubeObject>(type, { namespace, name })) === undefined;
    for (const volume of pod.spec.volumes ?? []) {
      const text = (what: string): string => `MountVolume.SetUp failed for volume "${volume.name}" : ${what}`;
      if (isOptional(volume)) continue;
      if (await missing(R.configmaps, volume.configMap?.name))
        return text(`configmap "${volume.configMap?.name ?? ''}" not found`);
      if (await missing(R.secrets, volume.secret?.secretName))
        return text(`secret "${volume.secret?.secretName ?? ''}" not found`);
      const claimName = volume.persistentVolumeClaim?.claimName;
      if (claimName === undefined) continue;
      const claim = await this.setting.client.find<PersistentVolumeClaim>(R.persistentvolumeclaims, {
        namespace,
        name: claimName,
      });
      if (claim?.status?.phase !== 'Bound') return text(`persistentvolumeclaim "${claimName}" is not bound`);
    }
    return undefined;
  }

  /** Images are pulled by the real container runtime, from the lab's registries. */
  async #imageFailure(container: Container): Promise<(ContainerState & { kind: 'waiting' }) | undefined> {
    const image = normalizedImage(container.image);
    const { runtime, log } = this.setting;
    try {
      if ((await runtime.imageTags()).includes(image) && container.imagePullPolicy !== 'Always') return undefined;
      if (container.imagePullPolicy === 'Never') {
        return {
          kind: 'waiting',
          reason: 'ErrImageNeverPull',
          message: `Container image "${container.image}" is not present with pull policy of Never`,
        };
      }
      await runtime.pullImage(image);
      log(`pulled ${image}`);
      return undefined;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      log(`failed to pull ${image}: ${why}`);
      return {
        kind: 'waiting',
        reason: 'ImagePullBackOff',
        message: `Back-off pulling image "${container.image}": ErrImagePull: ${why}`,
      };
    }
  }

  /** The node's own address, or one from the node's part of the pod network, the same as before if it had one. */
  #addressOf(pod: Pod): string {
    // As with the real one: it keeps what it began with, whatever the node's address is by now.
    if (pod.spec.hostNetwork === true) return pod.status?.podIP ?? this.setting.hostIp;
    const uid = pod.metadata.uid ?? '';
    const known = this.#addresses.get(uid) ?? pod.status?.podIP;
    const used = new Set([...this.#addresses.values(), ...this.setting.pods.all().map((other) => other.status?.podIP ?? '')]);
    const range = parseCidr(this.setting.node()?.spec?.podCIDR ?? '') ?? parseCidr('192.168.255.0/24');
    let index = 2;
    while (range !== undefined && used.has(addressAt(range, index))) index++;
    const address = known ?? (range === undefined ? this.setting.hostIp : addressAt(range, index));
    this.#addresses.set(uid, address);
    return address;
  }

  async #report(pod: Pod, podIp: string | undefined, stateOf: (container: Container) => ContainerState): Promise<void> {
    const status = podStatus(pod, {
      hostIp: this.setting.hostIp,
      podIp: podIp ?? (pod.spec.hostNetwork === true ? (pod.status?.podIP ?? this.setting.hostIp) : undefined),
      stateOf,
    });
    if (sameJson(pod.status, status)) return;
    const place = { namespace: pod.metadata.namespace ?? '', name: pod.metadata.name, subresource: 'status' };
    this.setting.pods.learn(await this.setting.client.patch<Pod>(R.pods, place, { status: toJson(status) }));
  }
}

const isOptional = (volume: Volume): boolean => Object.keys(volume).some((source) => at(volume, source, 'optional') === true);
