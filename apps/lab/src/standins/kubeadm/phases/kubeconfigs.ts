import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { kubeconfigOf, loadKubeconfig } from '../../client/kubeconfig.js';
import { exists, writeWhole } from '../../host/files.js';
import { issueCertificate } from '../../pki/certificates.js';
import { line, saying, type Phase } from '../output.js';
import { endpointOf, KUBERNETES, localEndpoint } from '../settings.js';
import { requirePair, type CertificateSetting } from './certificates.js';

interface KubeconfigSpec {
  phase: string;
  file: string;
  user: (nodeName: string) => string;
  organizations: string[];
  /** Components on a control plane node speak with the API server on it. */
  local: boolean;
}

const ADMIN: KubeconfigSpec = {
  phase: 'admin',
  file: 'admin.conf',
  user: () => 'kubernetes-admin',
  organizations: ['kubeadm:cluster-admins'],
  local: false,
};
const SUPER_ADMIN: KubeconfigSpec = {
  phase: 'super-admin',
  file: 'super-admin.conf',
  user: () => 'kubernetes-super-admin',
  organizations: ['system:masters'],
  local: false,
};
const KUBELET: KubeconfigSpec = {
  phase: 'kubelet',
  file: 'kubelet.conf',
  user: (nodeName) => `system:node:${nodeName}`,
  organizations: ['system:nodes'],
  local: true,
};
const MANAGER: KubeconfigSpec = {
  phase: 'controller-manager',
  file: 'controller-manager.conf',
  user: () => 'system:kube-controller-manager',
  organizations: [],
  local: true,
};
const SCHEDULER: KubeconfigSpec = {
  phase: 'scheduler',
  file: 'scheduler.conf',
  user: () => 'system:kube-scheduler',
  organizations: [],
  local: true,
};

/** The phases of `kubeadm init phase kubeconfig`. */
export const kubeconfigPhases = (setting: CertificateSetting): Phase[] => [
  saying('kubeconfig', setting.io, `[kubeconfig] Using kubeconfig folder "${KUBERNETES}"`),
  ...[ADMIN, SUPER_ADMIN, KUBELET, MANAGER, SCHEDULER].map((spec) => ({
    name: `kubeconfig/${spec.phase}`,
    group: 'kubeconfig',
    run: () => writeOne(spec, setting),
  })),
];

/** What a joining control plane node needs: its kubelet gets its own by TLS bootstrap. */
export async function writeControlPlaneKubeconfigs(setting: CertificateSetting): Promise<void> {
  line(setting.io, `[kubeconfig] Using kubeconfig folder "${KUBERNETES}"`);
  await Promise.all([ADMIN, MANAGER, SCHEDULER].map((spec) => writeOne(spec, setting)));
}

async function writeOne(spec: KubeconfigSpec, { cluster, nodeName, local, io }: CertificateSetting): Promise<void> {
  const authority = await requirePair(cluster.certificatesDir, 'ca');
  const path = join(KUBERNETES, spec.file);
  const server = `https://${spec.local ? localEndpoint(local) : endpointOf(cluster, local)}`;
  if (await exists(path)) {
    const present = await loadKubeconfig(path);
    if (
      present.ca === undefined ||
      new X509Certificate(present.ca).fingerprint256 !== new X509Certificate(authority.cert).fingerprint256
    ) {
      throw new Error(`a kubeconfig file "${path}" exists already but has got the wrong CA cert`);
    }
    if (present.server !== server)
      throw new Error(
        `a kubeconfig file "${path}" exists already but has an unexpected API Server URL: expected: ${server}, got: ${present.server}`,
      );
    line(io, `[kubeconfig] Using existing kubeconfig file: "${path}"`);
    return;
  }
  const user = spec.user(nodeName);
  const pair = await issueCertificate(authority, {
    commonName: user,
    organizations: spec.organizations,
    usages: ['clientAuth'],
    days: cluster.certificateDays,
    algorithm: cluster.algorithm,
  });
  const { stringify } = await import('yaml');
  const config = kubeconfigOf({ server, ca: authority.cert, ...pair }, { cluster: cluster.clusterName, user });
  await writeWhole(path, stringify(config));
  line(io, `[kubeconfig] Writing "${spec.file}" kubeconfig file`);
}
