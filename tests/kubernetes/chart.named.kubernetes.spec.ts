import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { minutes, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { OpenStackEmulator, realKubernetes, REAL_KUBERNETES_VERSIONS } from '@windlass/lab';
import { ApiClient, onboard, SERVICES, surroundings } from '@windlass/windlass';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { baseImages } from '../deploy/support/base-images.js';
import { goProgram } from '../deploy/support/go-programs.js';
import { ourImage } from '../deploy/support/our-image.js';
import { PodmanStore } from '../deploy/support/podman-store.js';
import { copyOfProject } from '../deploy/support/copy-of-project.js';
import { registerVim } from '../hazards/support/rig.js';
import { home } from '../support/deployed.js';
import { RealCluster } from './support/real-cluster.js';
import { TypedChart } from './support/typed-chart.js';

/** The commands of docs/guides/helm.md on a real Kubernetes of the lab, and a VNF that Windlass instantiates from there. */
const IMAGES = ['windlass:0.1.0', 'postgres:17.6-bookworm', 'nats:2.12.12-alpine'];

let cluster: RealCluster;
let person: TypedChart;
let emulator: OpenStackEmulator;
let forward: ChildProcess | undefined;
let instance: string;
const ends: (() => Promise<unknown>)[] = [];

/** Archives of the images, each under the name that a kubelet asks for. */
async function archives(): Promise<Buffer[]> {
  const store = await PodmanStore.open(join(surroundings().cache, 'lab/containers'));
  const folder = await mkdtemp(join(store.folder, 'tmp', 'project-'));
  try {
    await copyOfProject(home, folder);
    await baseImages(store, folder, console.log);
    await ourImage(store, folder, 'tried on Kubernetes', console.log);
    const made: Buffer[] = [];
    for (const image of IMAGES) {
      const name = `docker.io/library/${image}`;
      if (image.startsWith('windlass:')) await store.podman('tag', image, name);
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

beforeAll(async () => {
  const images = await archives();
  cluster = await RealCluster.start();
  ends.push(() => cluster.close());
  const made = await cluster.rest(await cluster.instantiate());
  expect(made, JSON.stringify(made)).toMatchObject({ operationState: 'COMPLETED' });
  const { master, workers } = await cluster.nodes();
  const { fleet } = cluster.deployed.lab;
  for (const input of images)
    await Promise.all(
      workers.map(async ({ serverId, name }) => {
        const imported = ['ctr', '--namespace', 'k8s.io', 'images', 'import', '-'];
        const { status, stderr } = await fleet.exec(serverId, imported, { input, within: minutes(10) });
        if (status !== 0) throw new Error(`${name} did not import an image: ${stderr}`);
      }),
    );
  const { stdout: kubeconfig } = await cluster.on(master, 'cat', '/etc/kubernetes/admin.conf');
  const { cache } = surroundings();
  const { binaries } = await realKubernetes({ cacheDir: join(cache, 'lab'), log: () => undefined });
  const helm = await goProgram(join(cache, 'lab/helm'), 'helm');
  person = await TypedChart.start([join(binaries, `v${REAL_KUBERNETES_VERSIONS[1]}`), dirname(helm)], kubeconfig);
  ends.push(() => person.close());
  emulator = await OpenStackEmulator.start({ host: fleet.network.gateway, speed: 'instant' });
  ends.push(() => emulator.stop());
}, minutes(60));

afterAll(async () => {
  forward?.kill('SIGKILL');
  const ended: PromiseSettledResult<unknown>[] = [];
  for (const end of ends.reverse()) ended.push(...(await Promise.allSettled([end()])));
  expect(ended.filter(({ status }) => status === 'rejected')).toEqual([]);
}, minutes(10));

/** The API, by a port of this machine that kubectl forwards to a pod which is there. */
async function api(): Promise<ApiClient> {
  forward?.kill('SIGKILL');
  const asked = ['-n', 'windlass', 'port-forward', 'service/windlass-lcm-api', ':9890'];
  forward = spawn('kubectl', asked, { env: person.environment, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: forward.stdout! }), 'line')) as [string];
  const [, port = ''] = /127\.0\.0\.1:(\d+)/.exec(line) ?? [];
  return new ApiClient(`http://127.0.0.1:${port}`, (await person.token()).trim());
}

async function completed(path: string): Promise<void> {
  const ended = await (await api()).follow(path, minutes(10), () => undefined);
  expect(ended, JSON.stringify(ended)).toMatchObject({ operationState: 'COMPLETED' });
}

interface Deployments {
  items: { metadata: { name: string }; status: { readyReplicas?: number } }[];
}
const ready = async (): Promise<Record<string, number>> => {
  const { items } = (await person.json('get deployments -l app.kubernetes.io/instance=windlass')) as Deployments;
  return Object.fromEntries(
    items.map(({ metadata, status }) => [metadata.name.replace(/^windlass-/, ''), status.readyReplicas ?? 0]),
  );
};

describe('the Helm chart, on a real Kubernetes', () => {
  it(
    'is installed by the commands of the guide: every pod ready, the migration done and gone',
    async () => {
      await person.type('./windlass nats-acl');
      await person.type('node deploy/make-secrets.mjs');
      await person.type('kubectl create namespace');
      for (const name of ['windlass-secrets', 'windlass-database-admin', 'postgres', 'nats'])
        await person.type(`kubectl -n windlass create secret generic ${name} `);
      await person.type('kubectl -n windlass create configmap');
      await person.type('kubectl -n windlass apply');
      await person.type('kubectl -n windlass rollout');
      await person.type('helm install');
      expect(await ready()).toEqual(Object.fromEntries(SERVICES.map(({ name }) => [name, 2])));
      expect(await person.kubectl('get jobs -o name')).not.toContain('job');
    },
    minutes(20),
  );

  it('has pods that Pod Security’s "restricted" has nothing against, and whose services may do nothing in the cluster', async () => {
    const warned = await person.run(
      'kubectl label --dry-run=server namespace windlass pod-security.kubernetes.io/enforce=restricted',
    );
    expect(warned).toMatch(/postgres-|nats-/);
    expect(warned).not.toMatch(/windlass-/);
    const may = await person.kubectl('auth can-i --list --as=system:serviceaccount:windlass:windlass --no-headers');
    expect(may).not.toMatch(/\b(pods|secrets|deployments)\b/);
  });

  it(
    'instantiates a VNF, although every pod is replaced meanwhile',
    async () => {
      const client = await api();
      await registerVim(client, emulator);
      const { vnfdId } = await onboard(client, join(home, 'samples/simple-vm'));
      const { id } = await client.post<{ id: string }>('/vnflcm/v1/vnf_instances', { vnfdId });
      instance = `/vnflcm/v1/vnf_instances/${id}`;
      emulator.faults.add({ kind: 'slow-stack', delayMs: minutes(1), stackName: `vnf-${id}`, times: 1 });
      const text = await readFile(join(home, 'samples/requests/instantiate-simple-vm.json'), 'utf8');
      const body = JSON.parse(text.replaceAll('${NETWORK_ID}', 'net0')) as JsonObject;
      const operation = await client.accept(`${instance}/instantiate`, body);
      await waitUntil(() => Promise.resolve(emulator.count('POST', /\/stacks$/) > 0 ? true : undefined), {
        for: 'the stack to be asked for',
        within: minutes(2),
        every: seconds(0.5),
      });
      await person.kubectl('rollout restart deployment -l app.kubernetes.io/instance=windlass');
      await person.run('kubectl -n windlass rollout status deployment -l app.kubernetes.io/instance=windlass', minutes(10));
      await completed(operation);
      expect(emulator.inventory().flatMap(({ stacks }) => stacks)).toHaveLength(1);
    },
    minutes(25),
  );

  it(
    'is upgraded by the commands of the guide, has the instance still, and leaves nothing of its own when it is taken away',
    async () => {
      await person.type('node deploy/make-secrets.mjs');
      await person.type('helm upgrade');
      expect(await ready()).toMatchObject({ 'infra-driver': 3, 'lcm-api': 2 });
      const client = await api();
      expect(await client.get(instance)).toMatchObject({ instantiationState: 'INSTANTIATED' });
      await completed(await client.accept(`${instance}/terminate`, { terminationType: 'FORCEFUL' }));
      expect(emulator.inventory().flatMap(({ stacks }) => stacks)).toEqual([]);
      await person.type('helm uninstall');
      const left = await person.kubectl(
        'get deployments,services,jobs,networkpolicies,poddisruptionbudgets,serviceaccounts -o name',
      );
      expect(left).not.toContain('/windlass');
      expect(person.untyped()).toEqual([]);
    },
    minutes(20),
  );
});
