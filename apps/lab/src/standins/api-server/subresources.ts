import { randomUUID, type KeyObject } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import { isReady, type Pod, type PodDisruptionBudget } from '../kube/kinds.js';
import { at, listAt, objectAt, stringAt, timestamp, type KubeObject } from '../kube/object.js';
import { R, storageKey } from '../kube/resources.js';
import { matchesSelector } from '../kube/selectors.js';
import { StatusError } from '../kube/status-error.js';
import { signJwt } from '../pki/jwt.js';
import { deleteOptions } from './deletion.js';
import type { PolicyObjects } from './rbac.js';
import type { ObjectPlace } from './object-place.js';
import type { ObjectRegistry, WriteContext } from './registry.js';
import { ensureObject } from './strategies/strategy.js';

export interface TokenIssuing {
  issuer: string;
  signingKey: KeyObject | undefined;
}

/** A TokenRequest lives an hour by default, at least ten minutes, here at most a year. */
const TOKEN_SECONDS = { least: 600, usual: 3_600, most: 365 * 86_400 };

/** `POST .../serviceaccounts/<name>/token`: a signed token bound to the account. */
export async function issueToken(
  place: ObjectPlace,
  request: JsonObject,
  registry: ObjectRegistry,
  { issuer, signingKey }: TokenIssuing,
): Promise<JsonObject> {
  const account = await registry.get(place);
  if (signingKey === undefined) throw new StatusError(500, 'InternalError', 'no --service-account-signing-key-file was given');
  const wanted = at(request, 'spec', 'expirationSeconds') ?? TOKEN_SECONDS.usual;
  if (typeof wanted !== 'number' || wanted < TOKEN_SECONDS.least) {
    throw StatusError.invalid('TokenRequest', 'authentication.k8s.io', '', [
      {
        field: 'spec.expirationSeconds',
        message: `Invalid value: ${JSON.stringify(wanted)}: may not specify a duration less than 10 minutes`,
      },
    ]);
  }
  const lives = Math.min(wanted, TOKEN_SECONDS.most);
  const asked = listAt(request, 'spec', 'audiences').filter((audience) => typeof audience === 'string');
  const audiences = asked.length === 0 ? [issuer] : asked;
  const now = Math.floor(Date.now() / 1_000);
  const { name, namespace, uid } = account.metadata;
  const token = signJwt(
    {
      aud: audiences,
      exp: now + lives,
      iat: now,
      iss: issuer,
      jti: randomUUID(),
      'kubernetes.io': { namespace: namespace ?? '', serviceaccount: { name, uid: uid ?? '' } },
      nbf: now,
      sub: `system:serviceaccount:${namespace ?? ''}:${name}`,
    },
    signingKey,
  );
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace: namespace ?? '', creationTimestamp: timestamp() },
    spec: { audiences, expirationSeconds: lives, boundObjectRef: null },
    status: { token, expirationTimestamp: timestamp(new Date((now + lives) * 1_000)) },
  };
}

/** `POST .../pods/<name>/eviction`: a deletion that disruption budgets may refuse with 429. */
export async function evict(
  place: ObjectPlace,
  body: JsonObject,
  registry: ObjectRegistry,
  objects: PolicyObjects,
  context: WriteContext,
): Promise<void> {
  if (body.kind !== 'Eviction' || !['policy/v1', 'policy/v1beta1'].includes(stringAt(body, 'apiVersion') ?? '')) {
    throw StatusError.badRequest('not an Eviction of policy/v1');
  }
  const pod = (await registry.get(place)) as Pod;
  const budgets = (objects.list(storageKey(R.poddisruptionbudgets, place.namespace)) as PodDisruptionBudget[]).filter((budget) =>
    matchesSelector(budget.spec?.selector, pod.metadata.labels),
  );
  if (budgets.length > 1)
    throw new StatusError(
      500,
      'InternalError',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  const [budget] = budgets;
  // A pod that is not ready costs nothing to evict.
  if (budget !== undefined && isReady(pod) && (budget.status?.disruptionsAllowed ?? 0) <= 0) {
    const { name } = budget.metadata;
    const { desiredHealthy: needed = 0, currentHealthy: present = 0 } = budget.status ?? {};
    throw StatusError.disruption(`The disruption budget ${name} needs ${needed} healthy pods and has ${present} currently`);
  }
  await registry.delete(place, deleteOptions(objectAt(body, 'deleteOptions'), new URLSearchParams()), context);
}

/** `POST .../pods/<name>/binding`: the scheduler's decision. */
export async function bind(place: ObjectPlace, body: JsonObject, registry: ObjectRegistry, context: WriteContext): Promise<void> {
  const node = stringAt(body, 'target', 'name') ?? '';
  if (node === '') throw StatusError.invalid('Binding', '', place.name, [{ field: 'target.name', message: 'Required value' }]);
  await registry.bindPod(place, node, context);
}

/** `GET .../scale` */
export function scaleOf(object: KubeObject): JsonObject {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace: namespace ?? '', uid: uid ?? '', resourceVersion: resourceVersion ?? '' },
    spec: { replicas: at(object, 'spec', 'replicas') ?? 0 },
    status: { replicas: at(object, 'status', 'replicas') ?? 0 },
  };
}

/** `PUT .../scale` or `PATCH .../scale`: only the number of replicas. */
export async function setScale(
  place: ObjectPlace,
  change: (scale: JsonObject) => JsonObject,
  registry: ObjectRegistry,
  context: WriteContext,
): Promise<JsonObject> {
  const updated = await registry.update(
    place,
    undefined,
    (current) => {
      const scale = change(scaleOf(current as unknown as KubeObject));
      ensureObject(current, 'spec').replicas = at(scale, 'spec', 'replicas') ?? 0;
      return current;
    },
    context,
  );
  return scaleOf(updated);
}
