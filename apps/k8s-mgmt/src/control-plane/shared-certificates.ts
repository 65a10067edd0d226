import { createHash, randomBytes } from 'node:crypto';
import { minutes, Secret, TransientError } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import type { KubeCluster } from '../cluster/kube-cluster.js';
import type { Master } from '@windlass/driver-kit';
import { uploadConfiguration } from '../cluster/kubeadm-config.js';

const NAMESPACE = 'kube-system';
const CERTIFICATES = 'kubeadm-certs';

/** What a control plane needs of the others: their certificates are in the cluster, and this opens them. */
export interface SharedCertificates {
  key: Secret;
  /** kubeadm's own configuration of the cluster. */
  configuration: string;
}

/** Puts the certificates that control planes share into the cluster, sealed with a key of our own that stands on no command line. */
export async function shareCertificates(
  cluster: KubeCluster,
  { host, address }: Master,
  env: Readonly<Record<string, string>>,
): Promise<SharedCertificates> {
  const configuration = await cluster.configuration();
  if (configuration === undefined)
    throw new TransientError('cluster.no-configuration', `the cluster does not show its ConfigMap kubeadm-config`);
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

/** Takes them back, with the token that would have ended them after two hours; right where there are none. */
export async function withdrawCertificates(cluster: KubeCluster): Promise<void> {
  const secret = await cluster.ask(cmd`-n ${NAMESPACE} get secret ${CERTIFICATES} -o json`);
  const { ownerReferences = [] } = (secret?.metadata ?? {}) as { ownerReferences?: { kind: string; name: string }[] };
  const names = [CERTIFICATES, ...ownerReferences.filter(({ kind }) => kind === 'Secret').map(({ name }) => name)];
  const items = names.map((name) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: NAMESPACE } }));
  await cluster.remove('withdraw-certificates', { apiVersion: 'v1', kind: 'List', items });
}
