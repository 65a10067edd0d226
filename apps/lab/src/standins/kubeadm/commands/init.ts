import { join } from 'node:path';
import { patientClient, type KubeClient } from '../../client/kube-client.js';
import { loadKubeconfig } from '../../client/kubeconfig.js';
import { exists, readIfThere, writeWhole } from '../../host/files.js';
import { newCertificateKey } from '../../kube/names.js';
import { publicKeyHash } from '../../pki/certificates.js';
import { PKI_FOLDER } from '../../kubelet/client-certificate.js';
import type { Io } from '../../cli/program.js';
import { line, runPhases, type Phase } from '../output.js';
import { announce, runChecks } from '../preflight/check.js';
import { firstChecks, imageChecks, initChecks } from '../preflight/lists.js';
import { installCoreDns, installKubeProxy } from '../phases/addons.js';
import { certificatePhases, requirePair } from '../phases/certificates.js';
import {
  allowBootstrap,
  bindClusterAdmins,
  CONTROL_PLANE_TAINT,
  markControlPlane,
  publishClusterInfo,
} from '../phases/cluster-setup.js';
import { kubeconfigPhases } from '../phases/kubeconfigs.js';
import { kubeletDocument, startKubelet, stopKubelet, waitForKubelet, writeKubeletFiles } from '../phases/kubelet-start.js';
import { writeControlPlaneManifests, writeEtcdManifest } from '../phases/manifests.js';
import { putToken } from '../phases/tokens.js';
import { uploadCertificates, uploadClusterConfiguration, uploadKubeletConfiguration } from '../phases/upload.js';
import { waitForControlPlane } from '../phases/wait-control-plane.js';
import { endpointOf, KUBERNETES, MANIFESTS, type InitSettings } from '../settings.js';

/** `kubeadm init`: all phases in kubeadm's order. @throws ExitError */
export async function runInit(settings: InitSettings, io: Io): Promise<void> {
  line(io, `[init] Using Kubernetes version: ${settings.cluster.kubernetesVersion}`);
  const run = new InitRun(settings, io);
  await runPhases(run.phases(), settings.skipPhases);
}

class InitRun {
  #admin: KubeClient | undefined;
  #certificateKey: string;

  constructor(
    private readonly settings: InitSettings,
    private readonly io: Io,
  ) {
    this.#certificateKey = settings.certificateKey;
  }

  phases(): Phase[] {
    const { cluster, node, local } = this.settings;
    const setting = { cluster, nodeName: node.name, local, io: this.io };
    const nothing = (): Promise<void> => Promise.resolve();
    return [
      { name: 'preflight', run: () => this.#preflight() },
      ...certificatePhases(setting),
      ...kubeconfigPhases(setting),
      { name: 'etcd', run: nothing },
      { name: 'etcd/local', run: () => writeEtcdManifest(setting) },
      { name: 'control-plane', run: () => writeControlPlaneManifests(setting) },
      { name: 'kubelet-start', run: () => this.#startKubelet() },
      { name: 'wait-control-plane', run: () => this.#waitForControlPlane() },
      { name: 'upload-config', run: nothing },
      { name: 'upload-config/kubeadm', run: () => this.#uploadCluster() },
      { name: 'upload-config/kubelet', run: () => this.#uploadKubelet() },
      { name: 'upload-certs', run: () => this.#uploadCerts() },
      { name: 'mark-control-plane', run: () => this.#mark() },
      { name: 'bootstrap-token', run: () => this.#bootstrapToken() },
      { name: 'kubelet-finalize', run: () => finalizeKubelet(this.io) },
      { name: 'addon', run: nothing },
      { name: 'addon/coredns', run: () => this.#coreDns() },
      { name: 'addon/kube-proxy', run: () => this.#kubeProxy() },
      { name: 'show-join-command', run: () => this.#showJoinCommand() },
    ];
  }

  async #preflight(): Promise<void> {
    const { node } = this.settings;
    announce(this.io);
    await runChecks(firstChecks, node.ignorePreflightErrors, this.io);
    await runChecks(initChecks(this.settings), node.ignorePreflightErrors, this.io);
    line(this.io, '[preflight] Pulling images required for setting up a Kubernetes cluster');
    line(this.io, '[preflight] This might take a minute or two, depending on the speed of your internet connection');
    line(this.io, "[preflight] You can also perform this action beforehand using 'kubeadm config images pull'");
    await runChecks(imageChecks(this.settings), node.ignorePreflightErrors, this.io);
  }

  async #startKubelet(): Promise<void> {
    const { cluster, node, kubelet } = this.settings;
    await stopKubelet();
    await writeKubeletFiles(kubeletDocument(cluster, kubelet), cluster, node, this.io);
    await startKubelet(this.io);
  }

  async #waitForControlPlane(): Promise<void> {
    const { local, healthWithin } = this.settings;
    line(
      this.io,
      `[wait-control-plane] Waiting for the kubelet to boot up the control plane as static Pods from directory "${MANIFESTS}"`,
    );
    await waitForKubelet(healthWithin, this.io);
    await waitForControlPlane(local, healthWithin, this.io);
  }

  /** admin.conf once its group is bound, which only super-admin.conf can do. */
  async #client(): Promise<KubeClient> {
    if (this.#admin !== undefined) return this.#admin;
    const superAdmin = patientClient(await loadKubeconfig(join(KUBERNETES, 'super-admin.conf')));
    await bindClusterAdmins(superAdmin);
    superAdmin.close();
    this.#admin = patientClient(await loadKubeconfig(join(KUBERNETES, 'admin.conf')));
    return this.#admin;
  }

  async #uploadCluster(): Promise<void> {
    line(this.io, '[upload-config] Storing the configuration used in ConfigMap "kubeadm-config" in the "kube-system" Namespace');
    await uploadClusterConfiguration(await this.#client(), this.settings.cluster);
  }

  async #uploadKubelet(): Promise<void> {
    const { cluster, kubelet } = this.settings;
    line(
      this.io,
      '[kubelet] Creating a ConfigMap "kubelet-config" in namespace kube-system with the configuration for the kubelets in the cluster',
    );
    await uploadKubeletConfiguration(await this.#client(), kubeletDocument(cluster, kubelet));
  }

  async #uploadCerts(): Promise<void> {
    const { uploadCerts, skipCertificateKeyPrint, cluster } = this.settings;
    if (!uploadCerts) {
      line(this.io, '[upload-certs] Skipping phase. Please see --upload-certs');
      return;
    }
    if (this.#certificateKey === '') this.#certificateKey = newCertificateKey();
    line(this.io, '[upload-certs] Storing the certificates in Secret "kubeadm-certs" in the "kube-system" Namespace');
    await uploadCertificates(await this.#client(), cluster, this.#certificateKey);
    if (!skipCertificateKeyPrint) line(this.io, `[upload-certs] Using certificate key:\n${this.#certificateKey}`);
  }

  async #mark(): Promise<void> {
    const { node } = this.settings;
    const taints = node.taints ?? [CONTROL_PLANE_TAINT];
    line(
      this.io,
      `[mark-control-plane] Marking the node ${node.name} as control-plane by adding the labels: [node-role.kubernetes.io/control-plane node.kubernetes.io/exclude-from-external-load-balancers]`,
    );
    line(
      this.io,
      `[mark-control-plane] Marking the node ${node.name} as control-plane by adding the taints [${taints.map(({ key, effect }) => `${key}:${effect}`).join(' ')}]`,
    );
    await markControlPlane(await this.#client(), node.name, taints);
  }

  async #bootstrapToken(): Promise<void> {
    const { cluster, local, tokens, skipTokenPrint } = this.settings;
    const client = await this.#client();
    for (const entry of tokens) {
      line(this.io, `[bootstrap-token] Using token: ${skipTokenPrint ? '<value withheld>' : entry.token}`);
      await putToken(client, entry);
    }
    line(this.io, '[bootstrap-token] Configuring bootstrap tokens, cluster-info ConfigMap, RBAC Roles');
    line(this.io, '[bootstrap-token] Configured RBAC rules to allow Node Bootstrap tokens to get nodes');
    line(
      this.io,
      '[bootstrap-token] Configured RBAC rules to allow Node Bootstrap tokens to post CSRs in order for nodes to get long term certificate credentials',
    );
    line(
      this.io,
      '[bootstrap-token] Configured RBAC rules to allow the csrapprover controller automatically approve CSRs from a Node Bootstrap Token',
    );
    line(
      this.io,
      '[bootstrap-token] Configured RBAC rules to allow certificate rotation for all node client certificates in the cluster',
    );
    await allowBootstrap(client);
    line(this.io, '[bootstrap-token] Creating the "cluster-info" ConfigMap in the "kube-public" namespace');
    const { cert } = await requirePair(cluster.certificatesDir, 'ca');
    await publishClusterInfo(client, `https://${endpointOf(cluster, local)}`, cert);
  }

  async #coreDns(): Promise<void> {
    const { cluster } = this.settings;
    if (cluster.dnsDisabled) return;
    await installCoreDns(await this.#client(), cluster);
    line(this.io, '[addons] Applied essential addon: CoreDNS');
  }

  async #kubeProxy(): Promise<void> {
    const { cluster, local, kubeProxy } = this.settings;
    if (cluster.proxyDisabled) return;
    await installKubeProxy(await this.#client(), cluster, `https://${endpointOf(cluster, local)}`, kubeProxy);
    line(this.io, '[addons] Applied essential addon: kube-proxy');
  }

  async #showJoinCommand(): Promise<void> {
    const { cluster, local, tokens, skipTokenPrint, skipCertificateKeyPrint, uploadCerts } = this.settings;
    const ca = (await requirePair(cluster.certificatesDir, 'ca')).cert;
    const token = skipTokenPrint ? '<value withheld>' : (tokens[0]?.token ?? '');
    const key = skipCertificateKeyPrint ? '<value withheld>' : this.#certificateKey;
    line(
      this.io,
      closingText(endpointOf(cluster, local), token, publicKeyHash(ca), {
        highlyAvailable: cluster.controlPlaneEndpoint !== '',
        key: uploadCerts ? key : undefined,
      }),
    );
    this.#admin?.close();
  }
}

/** Points kubelet.conf at the certificate that the kubelet keeps and renews itself. */
export async function finalizeKubelet(io: Io): Promise<void> {
  const path = join(KUBERNETES, 'kubelet.conf');
  const current = `${PKI_FOLDER}/kubelet-client-current.pem`;
  const text = await readIfThere(path);
  if (text === undefined || !(await exists(current))) return;
  line(io, `[kubelet-finalize] Updating "${path}" to point to a rotatable kubelet client certificate and key`);
  const { parse, stringify } = await import('yaml');
  const config = parse(text) as { users: { name: string; user: Record<string, string> }[] };
  const users = config.users.map(({ name }) => ({ name, user: { 'client-certificate': current, 'client-key': current } }));
  await writeWhole(path, stringify({ ...config, users }));
}

/** `kubeadm join ...` with its flags on lines of their own. */
export const joinCommand = (endpoint: string, token: string, hash: string): string =>
  `kubeadm join ${endpoint} --token ${token} \\\n\t--discovery-token-ca-cert-hash ${hash} `;

function closingText(
  endpoint: string,
  token: string,
  hash: string,
  options: { highlyAvailable: boolean; key: string | undefined },
): string {
  const further =
    options.key === undefined
      ? `You can now join any number of control-plane nodes by copying certificate authorities
and service account keys on each node and then running the following as root:

  ${joinCommand(endpoint, token, hash)}\\
\t--control-plane 

`
      : `You can now join any number of control-plane nodes running the following command on each as root:

  ${joinCommand(endpoint, token, hash)}\\
\t--control-plane --certificate-key ${options.key}

Please note that the certificate-key gives access to cluster sensitive data, keep it secret!
As a safeguard, uploaded-certs will be deleted in two hours; If necessary, you can use
"kubeadm init phase upload-certs --upload-certs" to reload certs afterward.

`;
  return `
Your Kubernetes control-plane has initialized successfully!

To start using your cluster, you need to run the following as a regular user:

  mkdir -p $HOME/.kube
  sudo cp -i /etc/kubernetes/admin.conf $HOME/.kube/config
  sudo chown $(id -u):$(id -g) $HOME/.kube/config

Alternatively, if you are the root user, you can run:

  export KUBECONFIG=/etc/kubernetes/admin.conf

You should now deploy a pod network to the cluster.
Run "kubectl apply -f [podnetwork].yaml" with one of the options listed at:
  https://kubernetes.io/docs/concepts/cluster-administration/addons/

${options.highlyAvailable ? further : ''}Then you can join any number of worker nodes by running the following on each as root:

${joinCommand(endpoint, token, hash)}`;
}
