import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { minutes, millis, seconds, waitUntil } from '@windlass/foundation';
import { patientClient, type KubeClient } from '../../client/kube-client.js';
import { kubeconfigOf, loadKubeconfig } from '../../client/kubeconfig.js';
import { parseDocuments } from '../../documents/documents.js';
import { exists, writeWhole } from '../../host/files.js';
import { isReady, type ConfigMap, type KubeNode } from '../../kube/kinds.js';
import { R } from '../../kube/resources.js';
import { isNotFound, StatusError } from '../../kube/status-error.js';
import { standinVersion } from '../../programs.js';
import type { Io } from '../../cli/program.js';
import { discover, type JoinAccess } from '../discovery.js';
import { failure, line, runPhases, type Phase } from '../output.js';
import { announce, runChecks } from '../preflight/check.js';
import { firstChecks, imageChecks, joinChecks, joinControlPlaneChecks } from '../preflight/lists.js';
import { makeLeaves } from '../phases/certificates.js';
import { CONTROL_PLANE_TAINT, markControlPlane } from '../phases/cluster-setup.js';
import { announceMember, checkHealth, etcdClient, etcdEndpoints, promoteMember } from '../phases/etcd-members.js';
import { writeControlPlaneKubeconfigs } from '../phases/kubeconfigs.js';
import { startKubelet, stopKubelet, waitForKubelet, writeKubeletFiles } from '../phases/kubelet-start.js';
import { writeControlPlaneManifests, writeEtcdManifest } from '../phases/manifests.js';
import { downloadCertificates } from '../phases/upload.js';
import { waitForControlPlane } from '../phases/wait-control-plane.js';
import { readCluster } from '../read-configuration.js';
import { KUBERNETES, localEndpoint, type ClusterSettings, type JoinSettings } from '../settings.js';

/** `kubeadm join`: all phases in kubeadm's order. @throws ExitError */
export async function runJoin(settings: JoinSettings, io: Io): Promise<void> {
  await runPhases(new JoinRun(settings, io).phases(), settings.skipPhases);
  line(io, settings.controlPlane === undefined ? WORKER_JOINED : CONTROL_PLANE_JOINED);
}

interface Known {
  access: JoinAccess;
  cluster: ClusterSettings;
}

class JoinRun {
  #known: Known | undefined;

  constructor(
    private readonly settings: JoinSettings,
    private readonly io: Io,
  ) {}

  phases(): Phase[] {
    const onControlPlane = (name: string, run: () => Promise<void>): Phase => ({
      name,
      run: () => (this.settings.controlPlane === undefined ? Promise.resolve() : run()),
    });
    return [
      { name: 'preflight', run: () => this.#preflight() },
      onControlPlane('control-plane-prepare', () => Promise.resolve()),
      onControlPlane('control-plane-prepare/download-certs', () => this.#downloadCerts()),
      onControlPlane('control-plane-prepare/certs', async () => makeLeaves(await this.#setting())),
      onControlPlane('control-plane-prepare/kubeconfig', async () => writeControlPlaneKubeconfigs(await this.#setting())),
      onControlPlane('control-plane-prepare/control-plane', async () => writeControlPlaneManifests(await this.#setting())),
      { name: 'kubelet-start', run: () => this.#startKubelet() },
      onControlPlane('etcd-join', () => this.#joinEtcd()),
      { name: 'kubelet-wait-bootstrap', run: () => this.#waitForBootstrap() },
      onControlPlane('control-plane-join', () => Promise.resolve()),
      onControlPlane('control-plane-join/mark-control-plane', () => this.#mark()),
      onControlPlane('wait-control-plane', () => this.#waitForControlPlane()),
    ];
  }

  async #preflight(): Promise<void> {
    const { settings, io } = this;
    announce(io);
    await runChecks(firstChecks, settings.node.ignorePreflightErrors, io);
    await runChecks(joinChecks(settings), settings.node.ignorePreflightErrors, io);
    const { cluster } = await this.#cluster();
    if (settings.controlPlane === undefined) return;
    line(io, '[preflight] Running pre-flight checks before initializing the new control plane instance');
    if (cluster.controlPlaneEndpoint === '') {
      throw failure(
        "error execution phase preflight: \nOne or more conditions for hosting a new control plane instance is not satisfied.\n\n[unable to add a new control plane instance to a cluster that doesn't have a stable controlPlaneEndpoint address]\n\nPlease ensure that:\n* The cluster has a stable controlPlaneEndpoint address.\n* The certificates that must be shared among control plane instances are provided.\n",
      );
    }
    await runChecks(
      joinControlPlaneChecks(settings.controlPlane.local.bindPort, cluster.etcd.dataDir),
      settings.node.ignorePreflightErrors,
      io,
    );
    line(io, '[preflight] Pulling images required for setting up a Kubernetes cluster');
    await runChecks(imageChecks({ cluster, node: settings.node }), settings.node.ignorePreflightErrors, io);
  }

  /** Discovery, and the cluster's configuration: once. */
  async #cluster(): Promise<Known> {
    if (this.#known !== undefined) return this.#known;
    const access = await discover(this.settings);
    line(this.io, '[preflight] Reading configuration from the "kubeadm-config" ConfigMap in namespace "kube-system"...');
    line(this.io, "[preflight] Use 'kubeadm init phase upload-config kubeadm --config your-config-file' to re-upload it.");
    const client = patientClient(access);
    try {
      const map = await read(client, 'kubeadm-config');
      const documents = await parseDocuments(map.data?.ClusterConfiguration ?? '');
      this.#known = { access, cluster: readCluster(documents[0] ?? {}, standinVersion('kubeadm')) };
      await this.#refuseKnownNode(client);
      return this.#known;
    } finally {
      client.close();
    }
  }

  async #refuseKnownNode(client: KubeClient): Promise<void> {
    const { name } = this.settings.node;
    const node = await client.find<KubeNode>(R.nodes, { name });
    if (node !== undefined && isReady(node)) {
      throw new Error(
        `a Node with name "${name}" and status "Ready" already exists in the cluster. You must delete the existing Node or change the name of this new joining Node`,
      );
    }
  }

  async #setting(): Promise<{
    cluster: ClusterSettings;
    nodeName: string;
    local: { advertiseAddress: string; bindPort: number };
    io: Io;
  }> {
    const { cluster } = await this.#cluster();
    return { cluster, nodeName: this.settings.node.name, local: this.#local(), io: this.io };
  }

  #local(): { advertiseAddress: string; bindPort: number } {
    if (this.settings.controlPlane === undefined) throw new Error('a worker has no API endpoint of its own');
    return this.settings.controlPlane.local;
  }

  async #downloadCerts(): Promise<void> {
    const { access, cluster } = await this.#cluster();
    const key = this.settings.controlPlane?.certificateKey ?? '';
    if (key === '') {
      await this.#requireShared(cluster);
      return;
    }
    line(this.io, '[download-certs] Downloading the certificates in Secret "kubeadm-certs" in the "kube-system" Namespace');
    const client = patientClient(access);
    try {
      await downloadCertificates(client, cluster, key);
    } finally {
      client.close();
    }
    line(this.io, `[download-certs] Saving the certificates to the folder: "${cluster.certificatesDir}"`);
  }

  /** Without a certificate key the user has copied the shared certificates by hand. */
  async #requireShared(cluster: ClusterSettings): Promise<void> {
    for (const file of ['ca.crt', 'ca.key', 'sa.key', 'front-proxy-ca.crt', 'front-proxy-ca.key', 'etcd/ca.crt', 'etcd/ca.key']) {
      if (await exists(join(cluster.certificatesDir, file))) continue;
      throw new Error(
        `failure loading certificate: couldn't load the certificate file ${join(cluster.certificatesDir, file)}: open ${join(cluster.certificatesDir, file)}: no such file or directory`,
      );
    }
  }

  async #startKubelet(): Promise<void> {
    const { node, controlPlane } = this.settings;
    const { access, cluster } = await this.#cluster();
    const client = patientClient(access);
    const map = await read(client, 'kubelet-config').finally(() => client.close());
    const [document] = await parseDocuments(map.data?.kubelet ?? '');
    if (document === undefined) throw new Error('the ConfigMap kubelet-config has no kubelet configuration');
    await stopKubelet();
    await writeWhole(join(cluster.certificatesDir, 'ca.crt'), access.ca, 0o644);
    await this.#writeBootstrapKubeconfig(access, cluster);
    const taints = node.taints ?? (controlPlane === undefined ? undefined : [CONTROL_PLANE_TAINT]);
    await writeKubeletFiles(document, cluster, { ...node, taints }, this.io);
    await startKubelet(this.io);
    await waitForKubelet(this.settings.healthWithin, this.io);
  }

  /** A control plane node's kubelet speaks with the API server on its own node, once that runs (ControlPlaneKubeletLocalMode). */
  async #writeBootstrapKubeconfig(access: JoinAccess, cluster: ClusterSettings): Promise<void> {
    const { stringify } = await import('yaml');
    const server = this.settings.controlPlane === undefined ? access.server : `https://${localEndpoint(this.#local())}`;
    const config = kubeconfigOf({ ...access, server }, { cluster: cluster.clusterName, user: 'tls-bootstrap-token-user' });
    await writeWhole(join(KUBERNETES, 'bootstrap-kubelet.conf'), stringify(config));
  }

  async #joinEtcd(): Promise<void> {
    const setting = await this.#setting();
    const { cluster, local } = setting;
    const { access } = await this.#cluster();
    const admin = patientClient({ ...(await loadKubeconfig(join(KUBERNETES, 'admin.conf'))), server: access.server });
    const endpoints = await etcdEndpoints(admin).finally(() => admin.close());
    const etcd = await etcdClient(endpoints, cluster.certificatesDir);
    try {
      line(this.io, '[check-etcd] Checking that the etcd cluster is healthy');
      await checkHealth(etcd, cluster.certificatesDir);
      const peerUrl = `https://${local.advertiseAddress}:2380`;
      const existing = await announceMember(etcd, peerUrl);
      line(this.io, '[etcd] Announced new etcd member joining to the existing etcd cluster');
      await writeEtcdManifest(setting, existing);
      line(this.io, '[etcd] Waiting for the new etcd member to join the cluster. This can take up to 40s');
      await promoteMember(etcd, peerUrl);
    } finally {
      etcd.close();
    }
  }

  async #waitForBootstrap(): Promise<void> {
    line(this.io, '[kubelet-start] Waiting for the kubelet to perform the TLS Bootstrap');
    const path = join(KUBERNETES, 'kubelet.conf');
    await waitUntil(async () => ((await exists(path)) ? true : undefined), {
      for: `the kubelet to write ${path}`,
      within: minutes(5),
      every: millis(100),
      growth: 1.2,
      atMost: seconds(1),
    });
    await rm(join(KUBERNETES, 'bootstrap-kubelet.conf'), { force: true });
  }

  async #mark(): Promise<void> {
    const { name, taints } = this.settings.node;
    line(
      this.io,
      `[mark-control-plane] Marking the node ${name} as control-plane by adding the labels: [node-role.kubernetes.io/control-plane node.kubernetes.io/exclude-from-external-load-balancers]`,
    );
    line(
      this.io,
      `[mark-control-plane] Marking the node ${name} as control-plane by adding the taints [${(taints ?? [CONTROL_PLANE_TAINT]).map(({ key, effect }) => `${key}:${effect}`).join(' ')}]`,
    );
    const { access } = await this.#cluster();
    const admin = patientClient({ ...(await loadKubeconfig(join(KUBERNETES, 'admin.conf'))), server: access.server });
    try {
      await markControlPlane(admin, name, taints ?? [CONTROL_PLANE_TAINT]);
    } finally {
      admin.close();
    }
  }

  #waitForControlPlane(): Promise<void> {
    return waitForControlPlane(this.#local(), this.settings.healthWithin, this.io);
  }
}

/** A ConfigMap of kube-system. @throws Error that says what a joining node can do about it */
async function read(client: KubeClient, name: string): Promise<ConfigMap> {
  try {
    return await client.get<ConfigMap>(R.configmaps, { namespace: 'kube-system', name });
  } catch (error) {
    if (isNotFound(error)) throw new Error(`failed to get config map: configmaps "${name}" not found`);
    if (error instanceof StatusError) throw new Error(`failed to get config map: ${error.message}`);
    throw error;
  }
}

const WORKER_JOINED = `
This node has joined the cluster:
* Certificate signing request was sent to apiserver and a response was received.
* The Kubelet was informed of the new secure connection details.

Run 'kubectl get nodes' on the control-plane to see this node join the cluster.
`;

const CONTROL_PLANE_JOINED = `
This node has joined the cluster and a new control plane instance was created:

* Certificate signing request was sent to apiserver and approval was received.
* The Kubelet was informed of the new secure connection details.
* Control plane label and taint were applied to the new node.
* The Kubernetes control plane instances scaled up.
* A new etcd member was added to the local/stacked etcd cluster.

To start administering your cluster from this node, you need to run the following as a regular user:

\tmkdir -p $HOME/.kube
\tsudo cp -i /etc/kubernetes/admin.conf $HOME/.kube/config
\tsudo chown $(id -u):$(id -g) $HOME/.kube/config

Run 'kubectl get nodes' to see this node join the cluster.
`;
