import { createHash, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { minutes, Secret, TransientError, type JsonObject } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import type { KubeCluster } from '../kube-cluster.js';
import type { Master } from '@windlass/driver-kit';
import { uploadConfiguration } from '../kubeadm-config.js';

const NAMESPACE = 'kube-system';
const CERTIFICATES = 'kubeadm-certs';

/** What a control plane needs of the others: their certificates are in the cluster, and this opens them. */
export interface SharedCertificates {
  key: Secret;
  /** kubeadm's own configuration of the cluster. */
  configuration: string;
}

/** Where those are kept that a user had put there, for as long as ours are in their place. It is there as long as ours are. */
const BEFORE = 'windlass-certificates-before';

/**
 * Puts the certificates that control planes share into the cluster, sealed with a key of our own that stands on no command line. kubeadm has one place
 * for them: what a user has put there comes back with {@link withdrawCertificates}.
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
  // A name stands for one job: a second key is another one's work.
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
 * Takes ours back, with the tokens that would have ended them after two hours, those of attempts that died too, and brings a user's again; right where
 * none are ours.
 */
export async function withdrawCertificates(cluster: KubeCluster): Promise<void> {
  const kept = await secretCalled(cluster, BEFORE);
  if (kept === undefined) return;
  const { before, tokens } = keptIn(kept);
  const there = await secretCalled(cluster, CERTIFICATES);
  // An attempt that died may have brought the user's again already.
  const isUsers = before !== undefined && isDeepStrictEqual(there?.data, before.data);
  const usersOwn = new Set([...ownersOf(before), ...(tokens ?? [])]);
  const named = isUsers ? [] : ownersOf(there);
  // What an older release has set aside does not say which were there.
  const made = tokens === undefined ? named : [...named, ...(await tokensThatEndThem(cluster))];
  const ours = [...new Set(made)].filter((name) => !usersOwn.has(name));
  const names = there === undefined || isUsers ? ours : [CERTIFICATES, ...ours];
  if (names.length > 0) await cluster.remove('withdraw-certificates', listOf(names));
  if (before !== undefined) await cluster.apply('bring-certificates-again', before);
  await cluster.remove('forget-certificates', listOf([BEFORE]));
}

/** By their Secrets' names. @throws TransientError `cluster.no-answer` while the API does not say */
async function tokensThatEndThem(cluster: KubeCluster): Promise<string[]> {
  const tokens = await cluster.joinTokens();
  if (tokens === undefined)
    throw new TransientError('cluster.no-answer', 'the API does not say which tokens end shared certificates');
  return tokens.filter(({ endsCertificates }) => endsCertificates).map(({ name }) => name);
}

/** Undefined where there is none. @throws TransientError `cluster.no-answer` while the API does not say */
async function secretCalled(cluster: KubeCluster, name: string): Promise<JsonObject | undefined> {
  let why = '';
  const secret = await cluster.ask(cmd`-n ${NAMESPACE} get secret ${name} -o json`, (said) => (why = said));
  if (secret !== undefined || why.includes('NotFound')) return secret;
  throw new TransientError('cluster.no-answer', `the API does not say whether there is a Secret ${name}: ${why}`);
}

/** As it is made again: with what ends it, and without what the API server entered. */
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
