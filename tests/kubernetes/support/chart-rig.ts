import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { minutes, type JsonObject } from '@windlass/foundation';
import { OpenStackEmulator, realKubernetes, REAL_KUBERNETES_VERSIONS } from '@windlass/lab';
import { ApiClient, onboard, surroundings } from '@windlass/windlass';
import { registerLab } from '@windlass/workbench';
import { baseImages, makeImages } from '../../deploy/support/base-images.js';
import { clusterImage, nameOf, type ClusterImage } from '../../deploy/support/cluster-images.js';
import { copyOfProject } from '../../deploy/support/copy-of-project.js';
import { goProgram } from '../../deploy/support/go-programs.js';
import { ourImage } from '../../deploy/support/our-image.js';
import { PodmanStore } from '../../deploy/support/podman-store.js';
import { home } from '../../support/deployed.js';
import { RealCluster } from './real-cluster.js';
import { TypedChart } from './typed-chart.js';

const IMAGES = ['windlass:0.1.0', 'postgres:17.6-bookworm', 'nats:2.12.12-alpine'];

/** Archives of the images, each under the name that a kubelet asks for. */
async function archives(more: readonly ClusterImage[]): Promise<Buffer[]> {
  const { cache } = surroundings();
  const store = await PodmanStore.open(join(cache, 'lab/containers'));
  const folder = await mkdtemp(join(store.folder, 'tmp', 'project-'));
  try {
    await copyOfProject(home, folder);
    await baseImages(store, folder, console.log);
    for (const image of more) await makeImages(store, [await clusterImage(image, join(cache, 'lab/helm'))], console.log);
    await ourImage(store, folder, 'tried on Kubernetes', console.log);
    const made: Buffer[] = [];
    for (const name of [...IMAGES.map((image) => `docker.io/library/${image}`), ...more.map(nameOf)]) {
      const own = name.replace('docker.io/library/', '');
      if (own.startsWith('windlass:')) await store.podman('tag', own, name);
      const file = join(folder, `${made.length}.tar`);
      await store.podman('save', '--quiet', '--format', 'docker-archive', '--output', file, name);
      made.push(await readFile(file));
      await rm(file);
    }
    return made;
  } finally {
    await rm(folder, { recursive: true, force: true });
    await store.close();
  }
}

/** A real Kubernetes of the lab whose workers were given our image, a person with the chart before it, and an OpenStack that its pods reach. */
export class ChartRig {
  #forward: ChildProcess | undefined;

  private constructor(
    readonly cluster: RealCluster,
    readonly person: TypedChart,
    readonly emulator: OpenStackEmulator,
    /** The cluster's own, as the sample's request names them. */
    readonly networks: { pods: string; services: string },
    private readonly ends: readonly (() => Promise<unknown>)[],
  ) {}

  /** @param more images beside ours that the workers are given */
  static async start(more: readonly ClusterImage[] = []): Promise<ChartRig> {
    const images = await archives(more);
    const ends: (() => Promise<unknown>)[] = [];
    try {
      const cluster = await RealCluster.start();
      ends.unshift(() => cluster.close());
      const made = await cluster.rest(await cluster.instantiate());
      if (made.operationState !== 'COMPLETED') throw new Error(`the lab has no cluster: ${JSON.stringify(made)}`);
      await given(cluster, images);
      const { master } = await cluster.nodes();
      const { stdout: kubeconfig } = await cluster.on(master, 'cat', '/etc/kubernetes/admin.conf');
      const { cache } = surroundings();
      const { binaries } = await realKubernetes({ cacheDir: join(cache, 'lab'), log: () => undefined });
      const helm = await goProgram(join(cache, 'lab/helm'), 'helm');
      const person = await TypedChart.start([join(binaries, `v${REAL_KUBERNETES_VERSIONS[1]}`), dirname(helm)], kubeconfig);
      ends.unshift(() => person.close());
      const emulator = await OpenStackEmulator.start({ host: cluster.deployed.lab.fleet.network.gateway, speed: 'instant' });
      ends.unshift(() => emulator.stop());
      return new ChartRig(cluster, person, emulator, await networks(), ends);
    } catch (error) {
      for (const end of ends) await end();
      throw error;
    }
  }

  /** Ends everything, also where an end of it fails. @throws AggregateError with what failed */
  async close(): Promise<void> {
    this.#forward?.kill('SIGKILL');
    const failed: unknown[] = [];
    for (const end of this.ends) await end().catch((error: unknown) => failed.push(error));
    if (failed.length > 0) throw new AggregateError(failed, 'not everything ended');
  }

  /** Types the guide's way to a release. @param more what is said to `helm install` beside */
  async install(...more: readonly string[]): Promise<void> {
    const { person } = this;
    await person.type('./windlass nats-acl');
    await person.type('node deploy/make-secrets.mjs');
    await person.type('kubectl create namespace');
    for (const name of ['windlass-secrets', 'windlass-database-admin', 'postgres', 'nats'])
      await person.type(`kubectl -n windlass create secret generic ${name} `);
    await person.type('kubectl -n windlass create configmap');
    await person.type('kubectl -n windlass apply');
    await person.type('kubectl -n windlass rollout');
    await person.type('helm install', more);
  }

  /** The API, by a port of this machine that kubectl forwards to a pod which is there. */
  async api(): Promise<ApiClient> {
    this.#forward?.kill('SIGKILL');
    const asked = ['-n', 'windlass', 'port-forward', 'service/windlass-lcm-api', ':9890'];
    this.#forward = spawn('kubectl', asked, { env: this.person.environment, stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(createInterface({ input: this.#forward.stdout! }), 'line')) as [string];
    const [, port = ''] = /127\.0\.0\.1:(\d+)/.exec(line) ?? [];
    return new ApiClient(`http://127.0.0.1:${port}`, (await this.person.token()).trim());
  }

  /** Registers the emulator as the VIM and uploads the sample of one VM. @returns its vnfdId */
  async prepare(client: ApiClient): Promise<string> {
    await registerLab(client, { keystoneUrl: this.emulator.url, ...this.emulator.tenant });
    const { vnfdId } = await onboard(client, join(home, 'samples/simple-vm'));
    return String(vnfdId);
  }

  /** Begins the instantiation of a new instance. */
  async instantiate(client: ApiClient, vnfdId: string): Promise<{ instance: string; operation: string }> {
    const { id } = await client.post<{ id: string }>('/vnflcm/v1/vnf_instances', { vnfdId });
    const instance = `/vnflcm/v1/vnf_instances/${id}`;
    const text = await readFile(join(home, 'samples/requests/instantiate-simple-vm.json'), 'utf8');
    const body = JSON.parse(text.replaceAll('${NETWORK_ID}', 'net0')) as JsonObject;
    return { instance, operation: await client.accept(`${instance}/instantiate`, body) };
  }

  /** Follows an operation by a new connection. @throws Error where it ends otherwise than COMPLETED */
  async completed(operation: string): Promise<void> {
    const ended = await (await this.api()).follow(operation, minutes(10), () => undefined);
    if (ended.operationState !== 'COMPLETED') throw new Error(`${operation} ended otherwise: ${JSON.stringify(ended)}`);
  }

  /** Ready pods of each service. */
  async ready(): Promise<Record<string, number>> {
    const { items } = (await this.person.json('get deployments -l app.kubernetes.io/instance=windlass')) as {
      items: { metadata: { name: string }; status: { readyReplicas?: number } }[];
    };
    return Object.fromEntries(
      items.map(({ metadata, status }) => [metadata.name.replace(/^windlass-/, ''), status.readyReplicas ?? 0]),
    );
  }
}

async function networks(): Promise<{ pods: string; services: string }> {
  const text = await readFile(join(home, 'samples/requests/instantiate-kubernetes-simple.json'), 'utf8');
  const { additionalParams } = JSON.parse(text) as {
    additionalParams: { k8s_cluster_installation_param: { master_node: { pod_cidr: string; cluster_cidr: string } } };
  };
  const { pod_cidr: pods, cluster_cidr: services } = additionalParams.k8s_cluster_installation_param.master_node;
  return { pods, services };
}

/** Imports archives of images into the runtime of each worker. */
async function given(cluster: RealCluster, images: readonly Buffer[]): Promise<void> {
  const { workers } = await cluster.nodes();
  const imported = ['ctr', '--namespace', 'k8s.io', 'images', 'import', '-'];
  for (const input of images)
    await Promise.all(
      workers.map(async ({ serverId, name }) => {
        const { status, stderr } = await cluster.deployed.lab.fleet.exec(serverId, imported, { input, within: minutes(10) });
        if (status !== 0) throw new Error(`${name} did not import an image: ${stderr}`);
      }),
    );
}
