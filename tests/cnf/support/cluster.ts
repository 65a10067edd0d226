import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clusterVimId } from '@windlass/mgmt-driver';
import { Vault, VimEntity, vimCredentialPlace } from '@windlass/persistence';
import { startTestCluster, type TestCluster } from '@windlass/lab';
import { millis, minutes, waitUntil, type JsonObject } from '@windlass/foundation';
import { Agent } from 'node:https';
import axios, { type AxiosInstance } from 'axios';
import type { System } from '../../support/system.js';

/** A cluster for CNFs: its API, and how to reach it. */
export interface CnfCluster {
  url: string;
  ca: string;
  /** The token of the account that a cluster's VIM has, which may do everything. */
  token: string;
  /** A client of the cluster's API, without Windlass. */
  api: AxiosInstance;
  close(): Promise<void>;
}

/** Starts the lab's stand-ins of API server, controllers and kubelet, with one node. */
export async function standinCluster(): Promise<CnfCluster & { inner: TestCluster }> {
  const inner = await startTestCluster();
  await inner.addNode('node1');
  const ca = inner.pki.ca.cert;
  const admin = await inner.accessOf('kubernetes-admin', 'system:masters');
  const asAdmin = axios.create({
    baseURL: inner.url,
    httpsAgent: new Agent({ ca, cert: admin.cert, key: admin.key }),
    proxy: false,
    validateStatus: () => true,
  });
  const token = await tokenOf(asAdmin);
  const api = clientOf(inner.url, ca, token);
  return { inner, url: inner.url, ca, token, api, close: () => inner.close() };
}

/** A client with a token. */
export const clientOf = (url: string, ca: string, token: string): AxiosInstance =>
  axios.create({
    baseURL: url,
    httpsAgent: new Agent({ ca }),
    headers: { Authorization: `Bearer ${token}` },
    proxy: false,
    validateStatus: () => true,
  });

/** Makes the account with which Windlass registers a cluster as a VIM. Returns the account's token. */
export async function tokenOf(admin: AxiosInstance): Promise<string> {
  await made(admin, '/api/v1/namespaces/kube-system/serviceaccounts', {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'admin' },
  });
  await made(admin, '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'windlass-admin' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'admin', namespace: 'kube-system' }],
  });
  const answer = await made(admin, '/api/v1/namespaces/kube-system/serviceaccounts/admin/token', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: { expirationSeconds: 86_400 },
  });
  return (answer.status as { token: string }).token;
}

export async function made(api: AxiosInstance, path: string, object: JsonObject): Promise<JsonObject> {
  const answer = await api.post<JsonObject>(path, object);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.data)}`);
  return answer.data;
}

/** Registers the cluster as a VIM. Returns the VIM's id. */
export async function registerCluster({ api }: System, { url, ca, token }: CnfCluster, name = 'cluster'): Promise<string> {
  const vim = { name, type: 'kubernetes', auth_url: url, auth_cred: { bearer_token: token, ssl_ca_cert: ca } };
  const answer = await api.post('/v1.0/vims', { vim });
  if (answer.status !== 201) throw new Error(`the cluster was not registered: ${JSON.stringify(answer.data)}`);
  return (answer.data as { vim: { id: string } }).vim.id;
}

/** Every kind that the tests use, owners before the objects that they own. */
const KINDS = [
  '/apis/apps/v1/deployments',
  '/apis/apps/v1/statefulsets',
  '/apis/apps/v1/replicasets',
  '/api/v1/pods',
  '/api/v1/services',
  '/api/v1/configmaps',
  '/api/v1/persistentvolumeclaims',
  '/api/v1/namespaces',
];

interface OwnObject {
  group: string;
  resource: string;
  name: string;
  namespace: string | undefined;
}

async function listOwn({ api }: CnfCluster): Promise<OwnObject[]> {
  const found: OwnObject[] = [];
  for (const kind of KINDS) {
    const { status, data } = await api.get<{ items?: { metadata: { name: string; namespace?: string } }[] }>(kind, {
      params: { labelSelector: 'windlass/vnf-instance' },
    });
    if (status === 404) continue;
    const at = kind.lastIndexOf('/');
    for (const { metadata } of data.items ?? [])
      found.push({ group: kind.slice(0, at), resource: kind.slice(at + 1), name: metadata.name, namespace: metadata.namespace });
  }
  return found;
}

/** Our objects in a cluster, by kind and name. */
export async function ownObjects(cluster: CnfCluster): Promise<string[]> {
  const found = await listOwn(cluster);
  return found
    .map(({ resource, namespace, name }) => `${resource} ${namespace === undefined ? '' : `${namespace}/`}${name}`)
    .sort();
}

/** Removes our objects without Windlass, and waits until none is left. */
export async function removeOwnObjects(cluster: CnfCluster): Promise<void> {
  await waitUntil(
    async (seen) => {
      const found = await listOwn(cluster);
      seen(JSON.stringify(found));
      for (const { group, resource, namespace, name } of found)
        await cluster.api.delete(
          `${group}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${resource}/${name}?propagationPolicy=Background`,
        );
      return found.length === 0 || undefined;
    },
    { for: 'the cluster to hold nothing of ours', within: minutes(1), every: millis(200) },
  );
}

/** Registers the cluster as the VIM of a VNF instance's own cluster, as a management driver does. Returns the VIM's id. */
export async function registerAsClusterOf(
  { database, masterKeys }: System,
  cluster: Pick<CnfCluster, 'url' | 'token' | 'ca'>,
  vnfInstanceId: string,
): Promise<string> {
  const id = clusterVimId(vnfInstanceId);
  const row = {
    id,
    tenant: 'default',
    name: 'cluster-of-a-vnf',
    description: '',
    type: 'kubernetes',
    authUrl: cluster.url,
    vimProject: {},
    authCred: new Vault(masterKeys).sealJson({ bearer_token: cluster.token, ssl_ca_cert: cluster.ca }, vimCredentialPlace(id)),
    placementAttr: { regions: [] },
    isDefault: false,
    status: 'ACTIVE',
    extra: {},
    createdAt: new Date(),
    updatedAt: null,
  };
  await database.manager.insert(VimEntity, row as never);
  return id;
}

/** The request that instantiates the sample on a VIM. @param name the file name of the body among the samples' */
export async function cnfRequest(
  vimId: string,
  change: (body: JsonObject) => void = () => undefined,
  name = 'instantiate-cnf.json',
): Promise<JsonObject> {
  const text = await readFile(join(import.meta.dirname, '../../../samples/requests', name), 'utf8');
  const body = JSON.parse(text.replaceAll('${VIM_ID}', vimId)) as JsonObject;
  change(body);
  return body;
}
