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

/** A namespace goes when the nodes have said that its pods are gone. */
const GONE_WITHIN = minutes(2);

/**
 * Runs a pod on each node, and has each ask a name and all the others. They stay for the step that takes them away, so that the verdict is
 * journaled while they are there: whoever takes over a worker that died goes on with them. Where it fails they go at once; what an attempt
 * before left goes first.
 * A node that does not get the image is no fault of the cluster: what is not tried for it is noted, and its own state decides.
 * @returns what a person should know of it
 * @throws TransientError with nodes, pods and the cluster's words where they don't come to answer in time
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
    // One that lost its lease, or was cancelled, leaves them to whoever comes next.
    if (error instanceof WindlassError && !run.signal.aborted) await removeAfter(context);
    throw error;
  }
}

/** Takes the pods away, and all that was made for them; right where there is nothing. */
export const removeProbes = ({ cluster }: Pick<Context, 'cluster'>, job: string): Promise<void> =>
  cluster.removeNamespaces(job, PROBE_LABELS, GONE_WITHIN);

/** What kept them from being removed is told beside the failure, which stays the one that counts. */
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

/** Pods that are ready, and what is to be known of the others. */
interface Answering {
  pods: ProbePod[];
  notes: string[];
}

/** Every node's pod, once all are ready; without those whose image their nodes have not got in that time, or never will. */
async function podsThatAnswer(context: Context, namespace: string, nodes: readonly string[]): Promise<Answering> {
  const pods = await allThatAnswer(context, namespace, nodes);
  const waiting = pods.filter(({ ready }) => !ready);
  if (waiting.length === 0) return { pods, notes: [] };
  const { image = '' } = context.input;
  const which = waiting.map(({ node, why }) => `${node}: ${why}`).join('; ');
  const note = `no pod has tried ${waiting.map(({ node }) => node).join(', ')}, which did not get ${image} (${which}). ${remedyOf(image)}`;
  return { pods: pods.filter(({ ready }) => ready), notes: [note] };
}

/** A pod for each node: ready, or one that waits for its image alone, when the time is over or the registry has said that it has none for us. */
async function allThatAnswer(context: Context, namespace: string, nodes: readonly string[]): Promise<ProbePod[]> {
  const last: { pods: ProbePod[] } = { pods: [] };
  // The kubelet says why only at each try, and between two that it waits.
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

/** The pods as they are, told to who follows the operation; undefined where the API does not answer. */
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

/** What a pod does not reach; nothing where it reaches all. */
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
