import { createHash } from 'node:crypto';
import type { Condition, Container, ContainerStatus, Pod } from '../kube/kinds.js';
import { timestamp } from '../kube/object.js';
import { normalizedImage } from './images.js';

/** Where a container of a pod stands. */
export type ContainerState =
  { kind: 'running'; since: string; restarts: number } | { kind: 'waiting'; reason: string; message: string };

const digest = (...parts: string[]): string => createHash('sha256').update(parts.join('\0')).digest('hex');

/** The id that a container or pod has for CRI clients. */
export const containerId = (podUid: string, container: string): string => digest(podUid, container);

function containerStatus(pod: Pod, container: Container, state: ContainerState): ContainerStatus {
  const image = normalizedImage(container.image);
  const base = { name: container.name, image };
  if (state.kind === 'waiting') {
    const { reason, message } = state;
    return {
      ...base,
      imageID: '',
      ready: false,
      started: false,
      restartCount: 0,
      state: { waiting: { reason, ...(message === '' ? {} : { message }) } },
    };
  }
  return {
    ...base,
    imageID: `${image.split('@')[0]?.replace(/:[^/:]*$/, '') ?? ''}@sha256:${digest(image)}`,
    containerID: `containerd://${containerId(pod.metadata.uid ?? '', container.name)}`,
    ready: true,
    started: true,
    restartCount: state.restarts,
    state: { running: { startedAt: state.since } },
  };
}

const completed = (pod: Pod, container: Container): ContainerStatus => ({
  ...containerStatus(pod, container, { kind: 'running', since: timestamp(), restarts: 0 }),
  state: { terminated: { exitCode: 0, reason: 'Completed' } },
});

export interface PodOutcome {
  hostIp: string;
  /** Undefined before the pod has its network. */
  podIp: string | undefined;
  stateOf: (container: Container) => ContainerState;
}

/** `status` of a pod on this node. Transition times are kept where nothing changed. */
export function podStatus(pod: Pod, { hostIp, podIp, stateOf }: PodOutcome): NonNullable<Pod['status']> {
  const containers = pod.spec.containers.map((container) => ({ container, state: stateOf(container) }));
  const ready = containers.every(({ state }) => state.kind === 'running');
  const sandbox = podIp !== undefined;
  const condition = (type: string, good: boolean): Condition => {
    const status = good ? 'True' : 'False';
    const known = pod.status?.conditions?.find((entry) => entry.type === type);
    const unready = !good && type !== 'PodReadyToStartContainers' && type !== 'Initialized';
    return {
      type,
      status,
      lastTransitionTime: known?.status === status ? (known.lastTransitionTime ?? timestamp()) : timestamp(),
      ...(unready
        ? {
            reason: 'ContainersNotReady',
            message: `containers with unready status: [${containers.map(({ container }) => container.name).join(' ')}]`,
          }
        : {}),
    };
  };
  return {
    phase: ready ? 'Running' : 'Pending',
    conditions: [
      condition('PodReadyToStartContainers', sandbox),
      condition('Initialized', sandbox),
      condition('Ready', ready),
      condition('ContainersReady', ready),
      condition('PodScheduled', true),
    ],
    hostIP: hostIp,
    ...(podIp === undefined ? {} : { podIP: podIp, podIPs: [{ ip: podIp }] }),
    startTime: pod.status?.startTime ?? timestamp(),
    containerStatuses: containers.map(({ container, state }) => containerStatus(pod, container, state)),
    ...(pod.spec.initContainers === undefined || !sandbox
      ? {}
      : { initContainerStatuses: pod.spec.initContainers.map((container) => completed(pod, container)) }),
    qosClass: pod.status?.qosClass ?? 'BestEffort',
  };
}
