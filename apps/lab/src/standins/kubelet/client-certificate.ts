import { createHash, randomBytes } from 'node:crypto';
import { mkdir, rm, symlink, rename } from 'node:fs/promises';
import { minutes, millis, seconds, waitUntil } from '@windlass/foundation';
import { KubeClient, Unreachable } from '../client/kube-client.js';
import { kubeconfigOf, loadKubeconfig, type Access } from '../client/kubeconfig.js';
import { exists, readIfThere, writeWhole } from '../host/files.js';
import type { CertificateSigningRequest } from '../kube/kinds.js';
import { R } from '../kube/resources.js';
import { StatusError } from '../kube/status-error.js';
import { newPrivateKey, newSigningRequest } from '../pki/certificates.js';

export const PKI_FOLDER = '/var/lib/kubelet/pki';
const CURRENT = `${PKI_FOLDER}/kubelet-client-current.pem`;

export interface CredentialPaths {
  kubeconfig: string;
  bootstrapKubeconfig: string;
}

/**
 * The kubelet's own access: its kubeconfig if there is one, otherwise a client certificate that it asks for with its bootstrap
 * credentials (TLS bootstrap: a CertificateSigningRequest that the controller manager approves and signs).
 * @throws Error in the real kubelet's words when neither file is there
 */
export async function kubeletAccess(
  nodeName: string,
  { kubeconfig, bootstrapKubeconfig }: CredentialPaths,
  log: (line: string) => void,
): Promise<Access> {
  if (await exists(kubeconfig)) {
    const access = await loadKubeconfig(kubeconfig);
    if (!(await exists(CURRENT))) await keep(access);
    return access;
  }
  if (bootstrapKubeconfig === '' || !(await exists(bootstrapKubeconfig))) {
    throw new Error(
      `failed to run Kubelet: unable to load bootstrap kubeconfig: stat ${bootstrapKubeconfig}: no such file or directory`,
    );
  }
  const bootstrap = await loadKubeconfig(bootstrapKubeconfig);
  const access = await askForCertificate(nodeName, bootstrap, log);
  await keep(access);
  const file = kubeconfigOf(
    { server: access.server, ...(access.ca === undefined ? {} : { ca: access.ca }) },
    { cluster: 'default-cluster', user: 'default-auth' },
  );
  file.users = [{ name: 'default-auth', user: { 'client-certificate': CURRENT, 'client-key': CURRENT } }];
  await writeWhole(kubeconfig, `${JSON.stringify(file, undefined, 2)}\n`);
  return access;
}

/** On a joining control plane node the API server next door starts only when etcd has taken it in: ask until it answers. */
const patiently = (create: () => Promise<unknown>, log: (line: string) => void): Promise<unknown> =>
  waitUntil(
    async (seen) => {
      try {
        return await create();
      } catch (error) {
        if (!(error instanceof Unreachable) && !(error instanceof StatusError && error.code >= 500)) throw error;
        log(`the API server does not answer yet: ${error.message}`);
        seen(error.message);
        return undefined;
      }
    },
    {
      for: 'the API server to take the certificate request',
      within: minutes(5),
      every: millis(200),
      growth: 1.3,
      atMost: seconds(1),
    },
  );

/** The certificate store: a dated file, and a link that always names the current one. */
async function keep({ cert, key }: Access): Promise<void> {
  if (cert === undefined || key === undefined) return;
  await mkdir(PKI_FOLDER, { recursive: true });
  const stamp = new Date().toISOString().replaceAll(/[T:]/g, '-').slice(0, 19);
  const file = `${PKI_FOLDER}/kubelet-client-${stamp}.pem`;
  await writeWhole(file, `${cert.trimEnd()}\n${key}`);
  await rm(`${CURRENT}.new`, { force: true });
  await symlink(file, `${CURRENT}.new`);
  await rename(`${CURRENT}.new`, CURRENT);
}

async function askForCertificate(nodeName: string, bootstrap: Access, log: (line: string) => void): Promise<Access> {
  // The key survives a restart in the middle, so that the same request is continued.
  const saved = `${PKI_FOLDER}/kubelet-client.key.tmp`;
  const key = (await readIfThere(saved)) ?? (await newPrivateKey('ECDSA-P256'));
  await writeWhole(saved, key);
  const request = await newSigningRequest(key, { commonName: `system:node:${nodeName}`, organizations: ['system:nodes'] });
  const name = `node-csr-${createHash('sha256')
    .update(request)
    .update(randomBytes(8))
    .digest('base64url')
    .replaceAll(/[^A-Za-z0-9]/g, 'x')}`;
  const client = new KubeClient(bootstrap);
  try {
    const create = () =>
      client.create<CertificateSigningRequest>(R.certificatesigningrequests, {
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name },
        spec: {
          request: Buffer.from(request).toString('base64'),
          signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
          usages: ['digital signature', 'client auth'],
        },
      });
    await patiently(create, log);
    log(`certificate request ${name} created, waiting for its certificate`);
    const cert = await waitUntil(
      async (seen) => {
        const csr = await client.get<CertificateSigningRequest>(R.certificatesigningrequests, { name });
        seen((csr.status?.conditions ?? []).map(({ type }) => type).join(',') || 'pending');
        return csr.status?.certificate;
      },
      { for: `the certificate of ${name}`, within: minutes(5), every: millis(100), growth: 1.5, atMost: seconds(2) },
    );
    await rm(saved, { force: true });
    const { server, ca } = bootstrap;
    return { server, ...(ca === undefined ? {} : { ca }), cert: Buffer.from(cert, 'base64').toString('utf8'), key };
  } finally {
    client.close();
  }
}
