import type { KeyObject } from 'node:crypto';
import type { ConfigMap, Namespace, Secret, ServiceAccount } from '../kube/kinds.js';
import { R } from '../kube/resources.js';
import { isConflict, isNotFound } from '../kube/status-error.js';
import { signJwt } from '../pki/jwt.js';
import { LEGACY_ISSUER } from '../api-server/authentication.js';
import type { ClusterView } from './cluster-view.js';
import type { Controller } from './controller.js';

const NAME = 'kubernetes.io/service-account.name';
const UID = 'kubernetes.io/service-account.uid';

/** Each namespace gets its `default` account and the CA in `kube-root-ca.crt`; each account's token secrets get their token. */
export const serviceAccountController = (rootCa: string, signingKey: KeyObject): Controller => ({
  name: 'serviceaccount',
  watches: [R.namespaces, R.serviceaccounts, R.secrets, R.configmaps],
  async sync(view) {
    for (const namespace of view.all<Namespace>(R.namespaces)) {
      if (namespace.metadata.deletionTimestamp === undefined) await furnish(view, namespace.metadata.name, rootCa);
    }
    for (const secret of view.all<Secret>(R.secrets)) {
      if (secret.type === 'kubernetes.io/service-account-token') await completeToken(view, secret, rootCa, signingKey);
    }
    return undefined;
  },
});

async function furnish(view: ClusterView, namespace: string, rootCa: string): Promise<void> {
  if (view.get(R.serviceaccounts, 'default', namespace) === undefined) {
    const account: ServiceAccount = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } };
    await unlessThere(view.create(R.serviceaccounts, account));
  }
  const published = view.get(R.configmaps, 'kube-root-ca.crt', namespace) as ConfigMap | undefined;
  const map: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kube-root-ca.crt', namespace },
    data: { 'ca.crt': rootCa },
  };
  if (published === undefined) await unlessThere(view.create(R.configmaps, map));
  else if (published.data?.['ca.crt'] !== rootCa) await view.update(R.configmaps, map);
}

/** Somebody else made it, or the namespace went meanwhile: both are seen at the next look. */
async function unlessThere(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}

async function completeToken(view: ClusterView, secret: Secret, rootCa: string, signingKey: KeyObject): Promise<void> {
  const { name, namespace = '', annotations = {} } = secret.metadata;
  const accountName = annotations[NAME] ?? '';
  const account = view.get(R.serviceaccounts, accountName, namespace) as ServiceAccount | undefined;
  const foreign = annotations[UID] !== undefined && annotations[UID] !== account?.metadata.uid;
  if (account === undefined || foreign) {
    // As documented: a token secret goes with its account. The account may be newer than what we see of it.
    const there = await view.isThere(R.serviceaccounts, { namespace, name: accountName }, annotations[UID]);
    if (!there) await view.delete(R.secrets, secret);
    return;
  }
  if (secret.data?.token !== undefined && secret.data['ca.crt'] !== undefined) return;
  const uid = account.metadata.uid ?? '';
  const prefix = 'kubernetes.io/serviceaccount';
  const token = signJwt(
    {
      iss: LEGACY_ISSUER,
      [`${prefix}/namespace`]: namespace,
      [`${prefix}/secret.name`]: name,
      [`${prefix}/service-account.name`]: accountName,
      [`${prefix}/service-account.uid`]: uid,
      sub: `system:serviceaccount:${namespace}:${accountName}`,
    },
    signingKey,
  );
  const encode = (text: string): string => Buffer.from(text).toString('base64');
  const data = { 'ca.crt': encode(rootCa), namespace: encode(namespace), token: encode(token) };
  await view.patch(R.secrets, secret, { metadata: { annotations: { [UID]: uid } }, data });
}
