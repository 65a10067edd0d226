import { minutes, seconds, TransientError, waitUntil, WindlassError } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import type { ClusterContext } from '../../node/node-context.js';
import type { KubeNode } from '../kube-cluster.js';
import type { ClusterStepInput } from '../node-input.js';
import { NO_IMAGE, STAYS_SO } from './image-refusals.js';
import { ASKS_ALL, PROBE_LABELS, PROBE_SERVICE, probeNamespace, probeObjects } from './probe-pods.js';
import { readProbes, type ProbePod } from './probe-state.js';

/** A cluster that is tried by pods of an image. */
type Context = ClusterContext<ClusterStepInput & { image?: string }>;

/** The longest that nodes may take to pull a small image and start it. */
const PODS_WITHIN = minutes(5);

/** The longest until the network and the cluster's names work, once pods run. */
const ANSWERS_WITHIN = minutes(3);

/** A namespace is gone once the nodes have reported that its pods are gone. */
const GONE_WITHIN = minutes(2);

/**
 * Runs a pod on each node. Each pod resolves a name and asks all other pods.
 * After a success the pods stay for `remove-probes`, so that a worker that takes over before the verdict is journaled finds them. After a failure
 * they are removed at once. Pods of an earlier attempt are removed first.
 * A node that does not get the image is no fault of the cluster: a note says what was not tested, and the node's own state decides.
 * @returns notes for a person
 * @throws TransientError with nodes, pods and the cluster's words where the pods do not answer in time
 */
export async function probeCluster(context: Context, image: string, nodes: readonly KubeNode[]): Promise<string[]> {
  const { cluster, run } = context;
  const namespace = probeNamespace(run.operationId);
  const names = nodes.map(({ name }) => name);
  await removeProbes(context, 'clear-probes');
  try {
    await cluster.tryToApply('run-probes', probeObjects(namespace, image, names));
    const { pods, notes } = await podsThatAnswer(context, namespace, names);
    if (pods.length > 0) await allReached(context, namespace, pods);
    return notes;
  } catch (error) {
    // A worker that lost its lease, or whose step was cancelled, leaves the pods to the next worker.
    if (error instanceof WindlassError && !run.signal.aborted) await removeAfter(context);
    throw error;
  }
}

/** Removes the pods and all that was made for them. Nothing to remove is no error. */
export const removeProbes = ({ cluster }: Pick<Context, 'cluster'>, job: string): Promise<void> =>
  cluster.removeNamespaces(job, PROBE_LABELS, GONE_WITHIN);

/** Removes the pods after a failure. A failure to remove them is only reported as progress: the first failure is the step's. */
async function removeAfter(context: Context): Promise<void> {
  try {
    await removeProbes(context, 'remove-failed-probes');
  } catch (error) {
    if (!(error instanceof WindlassError)) throw error;
    context.progress(`its pods were not removed: ${error.message}`);
  }
}

const often = { every: seconds(0.5), growth: 1.3, atMost: seconds(5) } as const;

const remedyOf = (image: string): string =>
  `Have ${image} where the nodes pull from, or name an image that is there by verification_image, of the request or (VERIFICATION_IMAGE) of the service ("none": no pod is run)`;

/** Pods that are ready, and notes about the others. */
interface Answering {
  pods: ProbePod[];
  notes: string[];
}

/** All nodes' pods, once they are ready, but for those whose images did not arrive in time or were refused for good. */
async function podsThatAnswer(context: Context, namespace: string, nodes: readonly string[]): Promise<Answering> {
  const pods = await allThatAnswer(context, namespace, nodes);
  const waiting = pods.filter(({ ready }) => !ready);
  if (waiting.length === 0) return { pods, notes: [] };
  const { image = '' } = context.input;
  const which = waiting.map(({ node, why }) => `${node}: ${why}`).join('; ');
  const note = `no pod has tried ${waiting.map(({ node }) => node).join(', ')}, which did not get ${image} (${which}). ${remedyOf(image)}`;
  return { pods: pods.filter(({ ready }) => ready), notes: [note] };
}

/** A pod for each node, ready or still without its image: once each pod is ready or its image is refused, or when the time is over. */
async function allThatAnswer(context: Context, namespace: string, nodes: readonly string[]): Promise<ProbePod[]> {
  const last: { pods: ProbePod[] } = { pods: [] };
  // Pods whose images the registry has refused. The kubelet gives the refusal at each try, and between tries says only that it waits.
  const refused = new Map<string, ProbePod>();
  try {
    return await waitUntil(
      async (seen) => {
        const pods = await lookAtPods(context, namespace, nodes, seen);
        if (pods === undefined) return undefined;
        last.pods = pods;
        for (const pod of pods) if (NO_IMAGE.test(pod.why) && STAYS_SO.test(pod.why)) refused.set(pod.name, pod);
        const asTheyAre = pods.map((pod) => (pod.ready ? pod : (refused.get(pod.name) ?? pod)));
        const isOver = pods.length === nodes.length && pods.every(({ ready, name }) => ready || refused.has(name));
        return isOver ? asTheyAre : undefined;
      },
      { for: `a pod on each of ${nodes.join(', ')} to answer`, within: PODS_WITHIN, signal: context.run.signal, ...often },
    );
  } catch (error) {
    const isForImages = last.pods.length === nodes.length && last.pods.every(({ ready, why }) => ready || NO_IMAGE.test(why));
    if (!isForImages || !(error instanceof WindlassError) || error.code !== 'wait.timeout') throw error;
    return last.pods;
  }
}

/** The pods as they are; each look is also reported as the step's progress. Undefined where the API does not answer. */
async function lookAtPods(
  { cluster, run, input: { image = '' } }: Context,
  namespace: string,
  nodes: readonly string[],
  seen: (text: string) => void,
): Promise<ProbePod[] | undefined> {
  const say = (text: string): void => {
    seen(text);
    run.progress(text);
  };
  const list = await cluster.ask(cmd`-n ${namespace} get pods -o json`, (why) => say(`the API does not answer: ${why}`));
  if (list === undefined) return undefined;
  const pods = readProbes(list);
  if (pods.length === 0)
    throw new TransientError(
      'cluster.pods-gone',
      `the pods in ${namespace} were taken away before they could tell: they are run again`,
    );
  const waiting = pods.filter(({ ready }) => !ready);
  const what = waiting.map(({ name, node, why }) => `${name} on ${node === '' ? 'no node yet' : node}: ${why}`);
  const remedy = waiting.some(({ why }) => NO_IMAGE.test(why)) ? `. ${remedyOf(image)}` : '';
  if (waiting.length > 0) say(`${pods.length - waiting.length} of ${nodes.length} pods answer; ${what.join('; ')}${remedy}`);
  return pods;
}

/** Waits until each pod has resolved the Service's name and reached every other one. */
async function allReached(context: Context, namespace: string, pods: readonly ProbePod[]): Promise<void> {
  const { run } = context;
  let left = pods;
  await waitUntil(
    async (seen) => {
      const faults: string[] = [];
      const again: ProbePod[] = [];
      for (const pod of left) {
        const said = await askedFrom(context, namespace, pod, pods);
        if (said.length > 0) again.push(pod);
        faults.push(...said);
      }
      left = again;
      if (left.length === 0) {
        run.progress(`${pods.length} pods reached each other, and the name ${PROBE_SERVICE}`);
        return true;
      }
      seen(faults.join('; '));
      run.progress(faults.join('; '));
      return undefined;
    },
    { for: 'pods to reach each other, by name too', within: ANSWERS_WITHIN, signal: run.signal, ...often },
  );
}

/** What a pod does not reach; empty where it reaches everything. */
async function askedFrom(
  { cluster }: Context,
  namespace: string,
  { name, node }: ProbePod,
  pods: readonly ProbePod[],
): Promise<string[]> {
  const peers = pods.filter((pod) => pod.name !== name).map((pod) => `${pod.node}=${pod.address}`);
  try {
    const asked = await cluster.exec({ namespace, name }, ['sh', '-c', ASKS_ALL, 'sh', PROBE_SERVICE, ...peers]);
    const said = asked.status === 0 ? asked.stdout : `nothing could be run in its pod: ${asked.stderr}`;
    return said
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => `from ${node}, ${line.trim()}`);
  } catch (error) {
    if (!(error instanceof TransientError)) throw error;
    return [`from ${node}, ${error.message}`];
  }
}
