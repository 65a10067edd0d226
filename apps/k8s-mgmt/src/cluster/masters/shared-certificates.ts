import { createHash, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { minutes, Secret, TransientError, type JsonObject } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import type { KubeCluster } from '../kube-cluster.js';
import type { Master } from '@windlass/driver-kit';
import { uploadConfiguration } from '../kubeadm-config.js';

const NAMESPACE = 'kube-system';
const CERTIFICATES = 'kubeadm-certs';

/** What a control plane needs of the others: `key` opens their certificates, which are in the cluster. */
export interface SharedCertificates {
  key: Secret;
  /** kubeadm's own configuration of the cluster. */
  configuration: string;
}

/** The Secret that keeps a user's shared certificates while ours take their place. It exists as long as ours do. */
const BEFORE = 'windlass-certificates-before';

/**
 * Puts the certificates that control planes share into the cluster, sealed with a new key that appears on no command line. kubeadm has one place for
 * shared certificates: {@link withdrawCertificates} brings back what a user had put there.
 */
export async function shareCertificates(
  cluster: KubeCluster,
  { host, address }: Master,
  env: Readonly<Record<string, string>>,
): Promise<SharedCertificates> {
  const configuration = await cluster.configuration();
  if (configuration === undefined)
    throw new TransientError('cluster.no-configuration', `the cluster does not show its ConfigMap kubeadm-config`);
  await setAside(cluster);
  const key = new Secret(randomBytes(32).toString('hex'));
  // A name stands for one job, so the job of another key has another name.
  const name = `upload-certificates-${createHash('sha256').update(key.reveal()).digest('hex').slice(0, 8)}`;
  await host.job(name, {
    prepare: async (files) => {
      const upload = uploadConfiguration({ address }, { cluster: configuration, certificateKey: key });
      await files.put('upload.yaml', upload, { mode: 0o600 });
      return {
        run: cmd`kubeadm init phase upload-certs --upload-certs --skip-certificate-key-print --config ${files.path('upload.yaml')}`,
        env,
      };
    },
    within: minutes(2),
  });
  return { key, configuration };
}

async function setAside(cluster: KubeCluster): Promise<void> {
  if (await hasSharedCertificates(cluster)) return;
  const there = await secretCalled(cluster, CERTIFICATES);
  const before = {
    ...(there === undefined ? {} : { before: base64(JSON.stringify(restorable(there))) }),
    tokens: base64(JSON.stringify(await tokensThatEndThem(cluster))),
  };
  const labels = { 'app.kubernetes.io/managed-by': 'windlass' };
  const metadata = { name: BEFORE, namespace: NAMESPACE, labels };
  await cluster.apply('keep-certificates', { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata, data: before });
}

/** Whether ours are in the cluster. */
export const hasSharedCertificates = async (cluster: KubeCluster): Promise<boolean> =>
  (await secretCalled(cluster, BEFORE)) !== undefined;

/**
 * Removes our shared certificates, and the tokens with which they would expire after two hours, those of dead attempts too; then restores a user's.
 * Does nothing where none are ours.
 */
export async function withdrawCertificates(cluster: KubeCluster): Promise<void> {
  const kept = await secretCalled(cluster, BEFORE);
  if (kept === undefined) return;
  const { before, tokens } = keptIn(kept);
  const there = await secretCalled(cluster, CERTIFICATES);
  // An earlier attempt that died may have restored the user's certificates already.
  const isUsers = before !== undefined && isDeepStrictEqual(there?.data, before.data);
  const usersOwn = new Set([...ownersOf(before), ...(tokens ?? [])]);
  const named = isUsers ? [] : ownersOf(there);
  // A Secret that an older release kept does not say which tokens were there before.
  const made = tokens === undefined ? named : [...named, ...(await tokensThatEndThem(cluster))];
  const ours = [...new Set(made)].filter((name) => !usersOwn.has(name));
  const names = there === undefined || isUsers ? ours : [CERTIFICATES, ...ours];
  if (names.length > 0) await cluster.remove('withdraw-certificates', listOf(names));
  if (before !== undefined) await cluster.apply('bring-certificates-again', before);
  await cluster.remove('forget-certificates', listOf([BEFORE]));
}

/** Names of the Secrets of tokens with which shared certificates expire. @throws TransientError `cluster.no-answer` while the API does not say */
async function tokensThatEndThem(cluster: KubeCluster): Promise<string[]> {
  const tokens = await cluster.joinTokens();
  if (tokens === undefined)
    throw new TransientError('cluster.no-answer', 'the API does not say which tokens end shared certificates');
  return tokens.filter(({ endsCertificates }) => endsCertificates).map(({ name }) => name);
}

/** The Secret of that name; undefined where there is none. @throws TransientError `cluster.no-answer` while the API does not say */
async function secretCalled(cluster: KubeCluster, name: string): Promise<JsonObject | undefined> {
  let why = '';
  const secret = await cluster.ask(cmd`-n ${NAMESPACE} get secret ${name} -o json`, (said) => (why = said));
  if (secret !== undefined || why.includes('NotFound')) return secret;
  throw new TransientError('cluster.no-answer', `the API does not say whether there is a Secret ${name}: ${why}`);
}

/** A Secret in the form in which it can be created again: with its owners, which end it, and without what the API server added. */
function restorable({ data = {}, metadata }: JsonObject): JsonObject {
  const { ownerReferences = [], labels = {} } = (metadata ?? {}) as JsonObject;
  const named = { name: CERTIFICATES, namespace: NAMESPACE, labels, ownerReferences };
  return { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata: named, data };
}

/** What was there before ours: the user's Secret, and names of the tokens that end shared certificates. */
function keptIn({ data }: JsonObject): { before: JsonObject | undefined; tokens: string[] | undefined } {
  const { before, tokens } = (data ?? {}) as { before?: string; tokens?: string };
  const decoded = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
  return {
    before: before === undefined ? undefined : (decoded(before) as JsonObject),
    tokens: tokens === undefined ? undefined : (decoded(tokens) as string[]),
  };
}

function ownersOf(secret: JsonObject | undefined): string[] {
  const { ownerReferences = [] } = (secret?.metadata ?? {}) as { ownerReferences?: { kind: string; name: string }[] };
  return ownerReferences.filter(({ kind }) => kind === 'Secret').map(({ name }) => name);
}

const listOf = (names: readonly string[]): JsonObject => ({
  apiVersion: 'v1',
  kind: 'List',
  items: names.map((name) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: NAMESPACE } })),
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');
