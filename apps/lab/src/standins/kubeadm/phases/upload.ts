import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { hours, type JsonObject } from '@windlass/foundation';
import { join } from 'node:path';
import type { KubeClient } from '../../client/kube-client.js';
import { readIfThere, writeWhole } from '../../host/files.js';
import type { ConfigMap, PolicyRule, Role, RoleBinding, Secret, Subject } from '../../kube/kinds.js';
import { newBootstrapToken } from '../../kube/names.js';
import { R } from '../../kube/resources.js';
import { DEFAULT_GROUP, type ClusterSettings } from '../settings.js';
import { clusterDocument } from '../read-configuration.js';
import { putToken } from './tokens.js';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';

const rule = (resources: string[], names: string[], verbs = ['get']): PolicyRule => ({
  apiGroups: [''],
  resources,
  resourceNames: names,
  verbs,
});

const group = (name: string): Subject => ({ kind: 'Group', name, apiGroup: RBAC_GROUP });

/** A Role in a namespace and its binding, both of that name. */
export async function grant(
  client: KubeClient,
  name: string,
  namespace: string,
  rules: PolicyRule[],
  subjects: Subject[],
): Promise<void> {
  const role: Role = { apiVersion: `${RBAC_GROUP}/v1`, kind: 'Role', metadata: { name, namespace }, rules };
  await client.apply(R.roles, role);
  const binding: RoleBinding = {
    apiVersion: `${RBAC_GROUP}/v1`,
    kind: 'RoleBinding',
    metadata: { name, namespace },
    roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name },
    subjects,
  };
  await client.apply(R.rolebindings, binding);
}

const NODES = [group('system:nodes'), group(DEFAULT_GROUP)];

async function putConfigMap(client: KubeClient, name: string, data: Record<string, string>): Promise<void> {
  const map: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'kube-system' }, data };
  await client.apply(R.configmaps, map);
}

/** `kubeadm-config`, which joining nodes read. */
export async function uploadClusterConfiguration(client: KubeClient, cluster: ClusterSettings): Promise<void> {
  const { stringify } = await import('yaml');
  await putConfigMap(client, 'kubeadm-config', { ClusterConfiguration: stringify(clusterDocument(cluster)) });
  await grant(client, 'kubeadm:nodes-kubeadm-config', 'kube-system', [rule(['configmaps'], ['kubeadm-config'])], NODES);
}

/** `kubelet-config`, which joining nodes take for their own. */
export async function uploadKubeletConfiguration(client: KubeClient, document: JsonObject): Promise<void> {
  const { stringify } = await import('yaml');
  await putConfigMap(client, 'kubelet-config', { kubelet: stringify(document) });
  await grant(client, 'kubeadm:kubelet-config', 'kube-system', [rule(['configmaps'], ['kubelet-config'])], NODES);
}

/** What control plane nodes share, and under which name the secret has it. */
const SHARED = ['ca.crt', 'ca.key', 'front-proxy-ca.crt', 'front-proxy-ca.key', 'sa.key', 'sa.pub', 'etcd/ca.crt', 'etcd/ca.key'];

const secretKey = (file: string): string => file.replace('/', '-');

/** The secret lives as long as a token made for that: two hours. */
const LIFE = hours(2);

/** Puts the shared certificates into `kubeadm-certs`, encrypted with the key. */
export async function uploadCertificates(client: KubeClient, cluster: ClusterSettings, certificateKey: string): Promise<void> {
  const data: Record<string, string> = {};
  for (const file of SHARED) {
    const path = join(cluster.certificatesDir, file);
    const content = await readIfThere(path);
    if (content === undefined)
      throw new Error(`error uploading certs: error loading ${path}: open ${path}: no such file or directory`);
    data[secretKey(file)] = encrypt(Buffer.from(content), certificateKey).toString('base64');
  }
  const token = newBootstrapToken();
  const owner = await putToken(client, {
    token,
    description: 'Proxy for managing TTL for the kubeadm-certs secret',
    ttl: LIFE,
    usages: [],
    groups: [],
  });
  const secret: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'kubeadm-certs',
      namespace: 'kube-system',
      ownerReferences: [
        {
          apiVersion: 'v1',
          kind: 'Secret',
          name: owner.metadata.name,
          uid: owner.metadata.uid ?? '',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    type: 'Opaque',
    data,
  };
  await client.apply(R.secrets, secret);
  await grant(client, 'kubeadm:kubeadm-certs', 'kube-system', [rule(['secrets'], ['kubeadm-certs'])], [group(DEFAULT_GROUP)]);
}

/** Fetches `kubeadm-certs` and writes the certificates where they belong. @throws Error in kubeadm's words */
export async function downloadCertificates(client: KubeClient, cluster: ClusterSettings, certificateKey: string): Promise<void> {
  const secret = await client.find<Secret>(R.secrets, { namespace: 'kube-system', name: 'kubeadm-certs' });
  if (secret === undefined) {
    throw new Error(
      'error downloading certs: error downloading the secret: Secret "kubeadm-certs" was not found in the "kube-system" Namespace. This Secret might have expired. ' +
        'Please, run `kubeadm init phase upload-certs --upload-certs` on a control plane to generate a new one',
    );
  }
  for (const file of SHARED) {
    const sealed = secret.data?.[secretKey(file)];
    if (sealed === undefined)
      throw new Error(
        `error downloading certs: the Secret does not include the required certificate or key - name: ${secretKey(file)}`,
      );
    const content = decrypt(Buffer.from(sealed, 'base64'), certificateKey).toString('utf8');
    await writeWhole(
      join(cluster.certificatesDir, file),
      content,
      file.endsWith('.crt') || file.endsWith('.pub') ? 0o644 : 0o600,
    );
  }
}

/** AES-256-GCM with the nonce before and the tag behind, as Go's `cipher.AEAD` lays it out. */
export function encrypt(content: Buffer, keyHex: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(keyHex, 'hex'), nonce);
  return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

/** @throws Error in kubeadm's words when the key is another */
export function decrypt(sealed: Buffer, keyHex: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', Buffer.from(keyHex, 'hex'), sealed.subarray(0, 12));
  decipher.setAuthTag(sealed.subarray(-16));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
  } catch {
    throw new Error(
      'error downloading certs: error decoding secret data with provided key: cipher: message authentication failed',
    );
  }
}
