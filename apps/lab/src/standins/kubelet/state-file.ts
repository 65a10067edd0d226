import { writeWhole } from '../host/files.js';
import type { Pod } from '../kube/kinds.js';
import { containerId, podId } from './pod-status.js';
import type { StaticPod } from './static-pods.js';

/** What the kubelet stand-in tells crictl's stand-in about the pods of this node. */
export const STATE_FILE = '/run/windlass-lab/pods.json';

export interface PodState {
  id: string;
  name: string;
  namespace: string;
  createdAt: string;
  containers: { id: string; name: string; image: string; running: boolean; startedAt: string; restarts: number }[];
}

let written = '';

/** Writes the file if anything has changed. */
export async function writeState(pods: readonly Pod[], statics: readonly StaticPod[], nodeName: string): Promise<void> {
  const shown = new Set(pods.map((pod) => pod.metadata.name));
  const unseen = statics.filter(({ name }) => !shown.has(`${name}-${nodeName}`)).map((entry) => entry.pod);
  const text = JSON.stringify([...pods, ...unseen].map(stateOf));
  if (text === written) return;
  await writeWhole(STATE_FILE, text, 0o644);
  written = text;
}

function stateOf(pod: Pod): PodState {
  const uid = pod.metadata.uid ?? pod.metadata.name;
  return {
    id: podId(uid),
    name: pod.metadata.name,
    namespace: pod.metadata.namespace ?? 'kube-system',
    createdAt: pod.metadata.creationTimestamp ?? '',
    containers: pod.spec.containers.map(({ name, image }) => {
      const status = pod.status?.containerStatuses?.find((entry) => entry.name === name);
      return {
        id: containerId(uid, name),
        name,
        image,
        running: status === undefined || status.state.running !== undefined,
        startedAt: status?.state.running?.startedAt ?? '',
        restarts: status?.restartCount ?? 0,
      };
    }),
  };
}
