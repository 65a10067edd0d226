import { TerminalError, TransientError, type JsonObject } from '@windlass/foundation';

/** A pod of the verification, as the API tells it. */
export interface ProbePod {
  name: string;
  /** Empty until it is bound to one. */
  node: string;
  address: string;
  ready: boolean;
  /** What keeps it from answering, in the cluster's words; empty where nothing does. */
  why: string;
}

type RawPod = {
  metadata: { name: string };
  spec: { nodeName?: string };
  status?: {
    phase?: string;
    reason?: string;
    message?: string;
    podIP?: string;
    conditions?: { type: string; status: string; reason?: string; message?: string }[];
    containerStatuses?: { state?: { waiting?: Reason; terminated?: Reason & { exitCode?: number } } }[];
  };
};

type Reason = {
  reason?: string;
  message?: string;
};

/** Characters of a cluster's words that are shown. */
const SHOWN = 300;

/** Reasons that do not pass with time. */
const NEVER = ['InvalidImageName', 'ErrImageNeverPull'];

/**
 * The pods of a list.
 * @throws TerminalError `cluster.pod-refused` for an image that can't be one; TransientError `cluster.pod-failed` for a pod that has ended
 */
export function readProbes(list: JsonObject): ProbePod[] {
  return (list.items as RawPod[]).map((pod) => {
    const probe = readProbe(pod);
    const where = `pod ${probe.name} on ${probe.node === '' ? 'no node yet' : probe.node}`;
    const waiting = pod.status?.containerStatuses?.[0]?.state?.waiting?.reason ?? '';
    if (NEVER.includes(waiting)) throw new TerminalError('cluster.pod-refused', `${where} can't run: ${probe.why}`);
    if (['Failed', 'Succeeded'].includes(pod.status?.phase ?? ''))
      throw new TransientError('cluster.pod-failed', `${where} has ended, and was to answer: ${probe.why}`);
    return probe;
  });
}

function readProbe({ metadata, spec, status = {} }: RawPod): ProbePod {
  const ready = status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
  return {
    name: metadata.name,
    node: spec.nodeName ?? '',
    address: status.podIP ?? '',
    ready: ready && status.podIP !== undefined,
    why: ready ? '' : whyNot(status),
  };
}

function whyNot(status: NonNullable<RawPod['status']>): string {
  const state = status.containerStatuses?.[0]?.state;
  const unbound = status.conditions?.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False');
  const ended = state?.terminated;
  const words = [
    status.reason,
    status.message,
    ended === undefined ? undefined : `${ended.reason ?? 'ended'} (exit status ${ended.exitCode ?? '?'})`,
    ended?.message,
    state?.waiting?.reason,
    state?.waiting?.message,
    unbound?.reason,
    unbound?.message,
  ].filter((word): word is string => word !== undefined && word !== '');
  const text = words.join(': ').replaceAll(/\s+/g, ' ');
  return text === '' ? `${status.phase ?? 'Pending'}, does not answer yet` : text.slice(0, SHOWN);
}
