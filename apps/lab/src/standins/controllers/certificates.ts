import type { CertificateSigningRequest } from '../kube/kinds.js';
import { timestamp, type KubeObject } from '../kube/object.js';
import { R } from '../kube/resources.js';
import { readSigningRequest, signRequest, type KeyPair } from '../pki/certificates.js';
import type { ClusterView } from './cluster-view.js';
import type { Controller } from './controller.js';

/** The one signer that is here: client certificates of kubelets. */
const KUBELET_CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet';

const conditionTypes = (csr: CertificateSigningRequest): string[] => (csr.status?.conditions ?? []).map(({ type }) => type);

/** Approves a kubelet's client certificate when its requester may: `nodeclient` for the first, `selfnodeclient` to renew its own. */
export const certificateApproverController: Controller = {
  name: 'csrapproving',
  watches: [R.certificatesigningrequests],
  async sync(view) {
    for (const csr of view.all<CertificateSigningRequest>(R.certificatesigningrequests)) {
      if (csr.spec.signerName === KUBELET_CLIENT && conditionTypes(csr).length === 0) await consider(view, csr);
    }
    return undefined;
  },
};

async function consider(view: ClusterView, csr: CertificateSigningRequest): Promise<void> {
  const requested = await readSigningRequest(Buffer.from(csr.spec.request, 'base64').toString('utf8'));
  const isNode =
    requested.organizations.length === 1 &&
    requested.organizations[0] === 'system:nodes' &&
    requested.commonName.startsWith('system:node:');
  if (!isNode) return;
  const own = csr.spec.username === requested.commonName;
  const subresource = own ? 'selfnodeclient' : 'nodeclient';
  if (!(await mayCreate(view, csr, subresource))) return;
  const condition = {
    type: 'Approved',
    status: 'True' as const,
    reason: 'AutoApproved',
    message: `Auto approving ${own ? 'self ' : ''}kubelet client certificate after SubjectAccessReview.`,
    lastUpdateTime: timestamp(),
    lastTransitionTime: timestamp(),
  };
  await view.update(R.certificatesigningrequests, { ...csr, status: { ...csr.status, conditions: [condition] } }, 'approval');
}

async function mayCreate(view: ClusterView, { spec }: CertificateSigningRequest, subresource: string): Promise<boolean> {
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: { name: '' },
    spec: {
      user: spec.username ?? '',
      groups: spec.groups ?? [],
      resourceAttributes: { group: 'certificates.k8s.io', resource: 'certificatesigningrequests', verb: 'create', subresource },
    },
  };
  const answer = await view.client.create<KubeObject & { status?: { allowed?: boolean } }>(R.subjectaccessreviews, review);
  return answer.status?.allowed === true;
}

/** Signs what was approved, with the cluster's CA. */
export const certificateSignerController = (authority: KeyPair, days = 365): Controller => ({
  name: 'csrsigning',
  watches: [R.certificatesigningrequests],
  async sync(view) {
    for (const csr of view.all<CertificateSigningRequest>(R.certificatesigningrequests)) {
      if (
        csr.spec.signerName !== KUBELET_CLIENT ||
        !conditionTypes(csr).includes('Approved') ||
        csr.status?.certificate !== undefined
      )
        continue;
      const request = Buffer.from(csr.spec.request, 'base64').toString('utf8');
      const certificate = await signRequest(authority, request, { usages: ['clientAuth'], days });
      const status = { ...csr.status, certificate: Buffer.from(certificate).toString('base64') };
      await view.update(R.certificatesigningrequests, { ...csr, status }, 'status');
    }
    return undefined;
  },
});
