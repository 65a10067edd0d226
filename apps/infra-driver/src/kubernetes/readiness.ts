import { TerminalError, type JsonObject } from '@windlass/foundation';
import { at, listAt, numberAt, textAt, type KubeObject } from './objects.js';

/** What an object lacks to be ready, for people; undefined where it is. @throws TerminalError `kubernetes.not-ready` where it never will be */
type Readiness = (object: KubeObject) => string | undefined;

const condition = (object: JsonObject, type: string): JsonObject | undefined =>
  listAt(object, 'status', 'conditions').find((each) => each.type === type);

const has = (object: JsonObject, type: string): boolean => condition(object, type)?.status === 'True';

/** Why, in the words of a condition. */
const why = (found: JsonObject | undefined, otherwise: string): string => {
  const said = [textAt(found, 'reason'), textAt(found, 'message')].filter((text) => text !== undefined && text !== '');
  return said.length === 0 ? otherwise : said.join(': ');
};

const never = (object: KubeObject, detail: string): TerminalError =>
  new TerminalError('kubernetes.not-ready', `${textAt(object, 'kind') ?? ''} ${object.metadata.name} has failed: ${detail}`);

/** The controller has not looked at what was applied yet. */
const unseen = (object: KubeObject): string | undefined =>
  numberAt(object, 'status', 'observedGeneration') < numberAt(object, 'metadata', 'generation')
    ? 'its controller has not seen it yet'
    : undefined;

/** How many pods a workload shall have. */
export const wantedPods = (object: JsonObject): number => {
  const replicas = at(object, 'spec', 'replicas');
  return typeof replicas === 'number' ? replicas : 1;
};

const short = (what: string, has: number, wanted: number): string | undefined =>
  has === wanted ? undefined : `${has} of ${wanted} pods are ${what}`;

const hasCondition =
  (type: string): Readiness =>
  (object) =>
    has(object, type) ? undefined : why(condition(object, type), `not ${type} yet`);

const inPhase =
  (...phases: string[]): Readiness =>
  (object) => {
    const phase = textAt(object, 'status', 'phase') ?? 'none';
    return phases.includes(phase) ? undefined : `its phase is ${phase}, not ${phases.join(' or ')}`;
  };

const deployment: Readiness = (object) => {
  const progressing = condition(object, 'Progressing');
  if (unseen(object) === undefined && progressing?.status === 'False' && progressing.reason === 'ProgressDeadlineExceeded')
    throw never(object, why(progressing, 'no progress'));
  const wanted = wantedPods(object);
  return (
    unseen(object) ??
    short('of this version', numberAt(object, 'status', 'updatedReplicas'), wanted) ??
    short('there', numberAt(object, 'status', 'replicas'), wanted) ??
    short('available', numberAt(object, 'status', 'availableReplicas'), wanted)
  );
};

const replicaSet: Readiness = (object) =>
  unseen(object) ?? short('available', numberAt(object, 'status', 'availableReplicas'), wantedPods(object));

const statefulSet: Readiness = (object) =>
  unseen(object) ??
  short('ready', numberAt(object, 'status', 'readyReplicas'), wantedPods(object)) ??
  // With another strategy its pods are updated when somebody deletes them.
  (textAt(object, 'spec', 'updateStrategy', 'type') === 'OnDelete'
    ? undefined
    : short('of this version', numberAt(object, 'status', 'updatedReplicas'), wantedPods(object)));

const daemonSet: Readiness = (object) => {
  const wanted = numberAt(object, 'status', 'desiredNumberScheduled');
  return (
    unseen(object) ??
    short('of this version', numberAt(object, 'status', 'updatedNumberScheduled'), wanted) ??
    short('available', numberAt(object, 'status', 'numberAvailable'), wanted)
  );
};

const pod: Readiness = (object) => {
  const phase = textAt(object, 'status', 'phase');
  if (phase === 'Succeeded' || has(object, 'Ready')) return undefined;
  if (phase === 'Failed')
    throw never(object, textAt(object, 'status', 'message') ?? textAt(object, 'status', 'reason') ?? 'its phase is Failed');
  return podTrouble(object) ?? `its phase is ${phase ?? 'none'}, and it is not Ready`;
};

/** Why a pod does not run, in the cluster's words. */
export function podTrouble(object: JsonObject): string | undefined {
  const containers = [...listAt(object, 'status', 'initContainerStatuses'), ...listAt(object, 'status', 'containerStatuses')];
  for (const each of containers) {
    const waiting = at(each, 'state', 'waiting');
    const reason = textAt(waiting, 'reason');
    if (reason === undefined || reason === 'ContainerCreating' || reason === 'PodInitializing') continue;
    return `container ${textAt(each, 'name') ?? ''}: ${why(waiting as JsonObject, reason)}`;
  }
  const scheduled = condition(object, 'PodScheduled');
  return scheduled?.status === 'False' ? why(scheduled, 'it is on no node') : undefined;
}

const job: Readiness = (object) => {
  const failed = condition(object, 'Failed');
  if (failed?.status === 'True') throw never(object, why(failed, 'its condition is Failed'));
  return has(object, 'Complete') ? undefined : `${numberAt(object, 'status', 'succeeded')} of its pods have succeeded`;
};

/** A load balancer outside may never come: its address is not waited for. */
const service: Readiness = (object) =>
  textAt(object, 'spec', 'type') === 'ExternalName' || textAt(object, 'spec', 'clusterIP') !== undefined
    ? undefined
    : 'it has no address yet';

const replicationController: Readiness = (object) =>
  unseen(object) ?? short('available', numberAt(object, 'status', 'availableReplicas'), wantedPods(object));

const BY_KIND: Readonly<Record<string, Readiness>> = {
  Namespace: inPhase('Active'),
  CustomResourceDefinition: hasCondition('Established'),
  PersistentVolume: inPhase('Available', 'Bound'),
  PersistentVolumeClaim: inPhase('Bound'),
  Service: service,
  Deployment: deployment,
  ReplicaSet: replicaSet,
  ReplicationController: replicationController,
  StatefulSet: statefulSet,
  DaemonSet: daemonSet,
  Pod: pod,
  Job: job,
  APIService: hasCondition('Available'),
};

/** Kinds that nobody knows say by the usual condition whether they are ready, or are ready once they are there. */
const byCondition: Readiness = (object) => (condition(object, 'Ready') === undefined ? undefined : hasCondition('Ready')(object));

/** What an object lacks to be ready by its kind; undefined where it is. @throws TerminalError `kubernetes.not-ready` */
export const readinessOf = (object: KubeObject): string | undefined =>
  (BY_KIND[textAt(object, 'kind') ?? ''] ?? byCondition)(object);
