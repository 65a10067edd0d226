import { millis } from '@windlass/foundation';
import type { ConfigMap, Secret } from '../kube/kinds.js';
import { sameJson } from '../kube/object.js';
import { R } from '../kube/resources.js';
import { signClusterInfo } from '../pki/bootstrap-signature.js';
import type { ClusterView } from './cluster-view.js';
import type { Controller } from './controller.js';

const decoded = (secret: Secret, name: string): string => Buffer.from(secret.data?.[name] ?? '', 'base64').toString('utf8');

const tokens = (view: ClusterView): Secret[] =>
  view
    .all<Secret>(R.secrets)
    .filter((secret) => secret.metadata.namespace === 'kube-system' && secret.type === 'bootstrap.kubernetes.io/token');

/** When a token ends, in milliseconds since 1970; infinity without an expiration. */
function endOf(secret: Secret): number {
  const expiration = decoded(secret, 'expiration');
  return expiration === '' ? Number.POSITIVE_INFINITY : Date.parse(expiration);
}

/** Vouches for `kube-public/cluster-info` with each token that may sign, so that `kubeadm join` can trust it. */
export const bootstrapSignerController: Controller = {
  name: 'bootstrapsigner',
  watches: [R.secrets, R.configmaps],
  async sync(view) {
    const info = view.get(R.configmaps, 'cluster-info', 'kube-public') as ConfigMap | undefined;
    const content = info?.data?.kubeconfig;
    if (info === undefined || content === undefined) return undefined;
    const data: Record<string, string> = { kubeconfig: content };
    for (const secret of tokens(view)) {
      const id = decoded(secret, 'token-id');
      if (decoded(secret, 'usage-bootstrap-signing') !== 'true' || endOf(secret) <= Date.now()) continue;
      data[`jws-kubeconfig-${id}`] = signClusterInfo(content, id, decoded(secret, 'token-secret'));
    }
    if (!sameJson(info.data, data)) await view.update(R.configmaps, { ...info, data });
    return undefined;
  },
};

/** Removes tokens when their time is over. */
export const tokenCleanerController: Controller = {
  name: 'tokencleaner',
  watches: [R.secrets],
  async sync(view) {
    let next = Number.POSITIVE_INFINITY;
    for (const secret of tokens(view)) {
      const left = endOf(secret) - Date.now();
      if (left <= 0) await view.delete(R.secrets, secret);
      else next = Math.min(next, left);
    }
    // Timers hold at most 2^31 ms.
    return Number.isFinite(next) ? millis(Math.min(next + 20, 2 ** 31 - 1)) : undefined;
  },
};
