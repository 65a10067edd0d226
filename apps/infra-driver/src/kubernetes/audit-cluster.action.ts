import { isJsonObject, seconds, TerminalError, TransientError, WindlassError } from '@windlass/foundation';
import { auditClusterAction, type AuditClusterInput, type AuditVimOutput, type ListedObject } from '@windlass/lifecycle';
import { REPLICATED } from '@windlass/vnf-package';
import { clusterAction, type ClusterContext } from './cluster-context.js';
import { DEPLOYMENT_LABEL, FIELD_MANAGER, labelsOf, listAt, textAt, VNF_LABEL, type KubeObject } from './objects.js';
import { wantedPods } from './readiness.js';

/** How often a cluster that can't be reached is asked, before that is the answer. */
const ATTEMPTS = 3;

/** Objects that one look tells of: its result is one message. */
const MOST_OBJECTS = 2_000;

/** Lists what carries our labels. Changes nothing. A cluster that does not answer is reported, so that the audit goes on with others. */
export const auditCluster = clusterAction(auditClusterAction, {
  apply: async (context): Promise<AuditVimOutput> => {
    try {
      return { stacks: [], images: [], objects: await listing(context) };
    } catch (error) {
      if (!(error instanceof WindlassError)) throw error;
      if (error instanceof TransientError && context.run.attempt < ATTEMPTS) throw error;
      return { failure: { code: error.code, detail: error.message }, stacks: [], images: [] };
    }
  },
  retry: { attempts: ATTEMPTS, backoff: seconds(1), growth: 2 },
});

async function listing({ cluster, run }: ClusterContext<AuditClusterInput>): Promise<ListedObject[]> {
  const found = new Map<string, ListedObject>();
  const kinds = await cluster.kinds();
  for (const [index, { apiVersion, kind }] of kinds.entries()) {
    for (const object of await cluster.list(apiVersion, kind, { selector: `${VNF_LABEL},${DEPLOYMENT_LABEL}` })) {
      // Controllers copy labels to what they make. Such an object is deleted with its owner.
      if (listAt(object, 'metadata', 'ownerReferences').length > 0 || COPIES.has(kind)) continue;
      // A kind may be served by two groups.
      found.set(object.metadata.uid, asListed(object, apiVersion, kind));
    }
    if (found.size > MOST_OBJECTS)
      throw new TerminalError('kubernetes.too-many-objects', `the cluster has more than ${MOST_OBJECTS} objects with our labels`);
    run.progress(`${index + 1} of ${kinds.length} kinds looked at`);
  }
  return [...found.values()];
}

/** Kinds that controllers make without naming an owner. */
const COPIES: ReadonlySet<string> = new Set(['Endpoints', 'Event']);

function asListed(object: KubeObject, apiVersion: string, kind: string): ListedObject {
  const { name, uid } = object.metadata;
  const labels = labelsOf(object);
  return {
    ref: { apiVersion, kind, namespace: textAt(object, 'metadata', 'namespace') ?? null, name },
    uid,
    vnfInstanceId: textAt(labels, VNF_LABEL) ?? '',
    deploymentTag: textAt(labels, DEPLOYMENT_LABEL) ?? '',
    applied: listAt(object, 'metadata', 'managedFields').some(
      ({ manager, operation }) => manager === FIELD_MANAGER && operation === 'Apply',
    ),
    ...(REPLICATED.has(kind) && isJsonObject(object.spec) ? { replicas: wantedPods(object) } : {}),
  };
}
