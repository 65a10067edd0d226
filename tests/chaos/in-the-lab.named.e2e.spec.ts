import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { minutes, type JsonObject } from '@windlass/foundation';
import { onboard } from '@windlass/windlass';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KubesprayLab } from '../kubespray/support/kubespray-lab.js';
import { RegistryClient } from '../private-registry/support/registry-client.js';
import { home, type Deployed } from '../support/deployed.js';
import { testSeed } from '../support/seed.js';
import { LabMonkey } from './lab/lab-monkey.js';
import { doubledJobs, LabVnf, type DoneSteps } from './lab/lab-vnf.js';
import { Random } from './random.js';
import { ONCE_CLEANED_UP } from '../support/cleaned-up.js';

const SEED = Number(process.env.WINDLASS_CHAOS_SEED ?? testSeed());
const DATA = randomUUID().repeat(512);
const HASH = createHash('sha256').update(DATA).digest('hex');
const FILE = '/volume/nfs/pv1/data';
const EXPORTED = ['/volume/nfs/pv1', '/volume/nfs/pv2', '/volume/nfs/pv3'];
const TERMINATION = { terminationType: 'FORCEFUL' };
const OUT = { type: 'SCALE_OUT', aspectId: 'worker_instance' };

let lab: KubesprayLab;
let deployed: Deployed;
let storage: LabVnf;
let registry: LabVnf;
let balanced: LabVnf;
let monkey: LabMonkey;
const done: DoneSteps = new Map();
let before: { vim: unknown; vims: unknown; ansible: string };
let digest = '';

const sampleRequest = async (name: string): Promise<JsonObject> => {
  const text = await readFile(join(home, 'samples/requests', name), 'utf8');
  return JSON.parse(text.replaceAll('${NETWORK_ID}', deployed.lab.networkName)) as JsonObject;
};
const standing = async () => ({
  vim: JSON.parse(JSON.stringify(deployed.lab.emulator.inventory())) as unknown,
  vims: await deployed.api.get('/v1.0/vims'),
  ansible: await lab.ansible.traces(),
});

beforeAll(async () => {
  // A dying worker loses all its steps, so a step may be lost often without being poison.
  lab = await KubesprayLab.start('stand-in', { ENGINE_LEASE: '3s', ENGINE_MAX_LOSSES: '50' });
  ({ deployed } = lab);
  balanced = new LabVnf(deployed, lab.path, done);
  const samples = ['samples/kubernetes-storage', 'samples/private-registry'];
  const [first, second] = await Promise.all(samples.map((sample) => onboard(deployed.api, join(home, sample))));
  storage = await LabVnf.of(deployed, first?.vnfdId, done);
  registry = await LabVnf.of(deployed, second?.vnfdId, done);
  before = await standing();
  monkey = new LabMonkey(deployed, Random.of(SEED, 'lab'));
  process.stderr.write(`seed ${SEED}; again: WINDLASS_CHAOS_SEED=${SEED} npx vitest run --project e2e tests/chaos/in-the-lab\n`);
  monkey.start();
});
afterAll(async () => {
  await monkey.stop();
  await lab.close();
});

/** A client of the registry's present VM. */
async function registryNow(): Promise<RegistryClient> {
  return new RegistryClient(`http://${registry.addressOf(await registry.vnfc('PrivateRegistryVDU'))}:5000`);
}

/** The directories that the storage server exports, by its configuration. */
async function exported(): Promise<string[]> {
  const text = await storage.on(await storage.vnfc('storage_server'), ['cat', '/etc/ganesha/windlass.conf']);
  return [...text.matchAll(/ Path = "([^"]+)"/g)].map(([, path = '']) => path);
}

/** Phase and NFS server of each PersistentVolume. */
async function volumes(): Promise<string[]> {
  const format = 'jsonpath={range .items[*]}{.status.phase} {.spec.nfs.server} {.spec.nfs.path}{"\\n"}{end}';
  const kubectl = ['kubectl', '--kubeconfig=/etc/kubernetes/admin.conf', 'get', 'pv', '-o', format];
  return (await storage.on(await storage.vnfc('masterNode'), kubectl)).split('\n').sort();
}

/** Each directory is exported once, registered once at the server that stands now, and Available. */
async function storageIsWhole(): Promise<void> {
  const server = await storage.vnfc('storage_server');
  expect(await exported()).toEqual(EXPORTED);
  expect(await volumes()).toEqual(EXPORTED.map((path) => `Available ${storage.addressOf(server)} ${path}`));
}

/** The balancer passes on to all nodes and no others, and has these ports outward. */
async function balancerIsWhole(ports: readonly string[]): Promise<void> {
  const nodes = [...(await balanced.vnfcs('masterNode')), ...(await balanced.vnfcs('workerNode'))];
  expect(await lab.routes()).toEqual(nodes.map((node) => balanced.addressOf(node)).sort());
  const bound = [...(await lab.configuration()).matchAll(/^\s+bind \S*:(3\d{4})$/gm)].map(([, port]) => port);
  expect(bound).toEqual(ports);
}

const unharmed = async () => expect(await doubledJobs(deployed, done), 'jobs on the machines').toEqual([]);

const service = (name: string, nodePort: number): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'default' },
  spec: { type: 'NodePort', ports: [{ port: 80, nodePort, protocol: 'TCP' }], selector: { app: name } },
});
const OPENED = String.raw`printf '\nfrontend default_web\n    mode tcp\n    bind *:30080\n    default_backend kubernetes-nodeport\n' >> /etc/haproxy/haproxy.cfg && systemctl reload haproxy`;

describe(`a storage server, a registry and a load balancer, whose services die again and again (seed ${SEED})`, () => {
  it(
    'are instantiated, all that was asked for and once',
    async () => {
      await Promise.all([
        sampleRequest('instantiate-kubernetes-storage.json').then((body) => storage.operate('instantiate', body)),
        sampleRequest('instantiate-private-registry.json').then((body) => registry.operate('instantiate', inLab(body))),
        lab.documentBody().then((body) => balanced.operate('instantiate', body)),
      ]);
      await storageIsWhole();
      await storage.on(await storage.vnfc('storage_server'), ['tee', FILE], DATA);
      digest = await (await registryNow()).push('team/app', '1.0', Buffer.from(DATA));
      const items = [service('web', 30_080), service('inside', 30_081)];
      await lab.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
      await balanced.on(await balanced.vnfc('externalLB'), ['/bin/sh', '-c', OPENED]);
      await balancerIsWhole(['30080']);
      await unharmed();
    },
    minutes(25),
  );

  it(
    'are scaled and healed: data and images stay, routes are the nodes’, and no port is open that was not',
    async () => {
      const machines = await Promise.all([storage.vnfc('storage_server'), registry.vnfc('PrivateRegistryVDU')]);
      const [server, vm] = machines;
      await Promise.all([
        storage.operate('scale', OUT).then(() => storage.operate('heal', { vnfcInstanceId: [server.id], cause: 'it hangs' })),
        registry.operate('heal', { vnfcInstanceId: [vm.id], cause: 'it hangs' }),
        balanced.operate('scale', OUT).then(async () => {
          const { id } = await balanced.vnfc('externalLB');
          await balanced.operate('heal', { vnfcInstanceId: [id], cause: 'it hangs' });
        }),
      ]);
      await storageIsWhole();
      expect((await storage.on(await storage.vnfc('storage_server'), ['sha256sum', FILE])).slice(0, 64)).toBe(HASH);
      expect(await (await registryNow()).digestOf('team/app', '1.0')).toBe(digest);
      await balancerIsWhole(['30080']);
      expect(await storage.vnfcs('workerNode')).toHaveLength(2);
      expect(await balanced.vnfcs('workerNode')).toHaveLength(3);
      await unharmed();
    },
    minutes(30),
  );

  it(
    'are terminated: no VM, volume, VIM or folder on the Ansible server is left, and each service was struck',
    async () => {
      await Promise.all([storage, registry, balanced].map((vnf) => vnf.operate('terminate', TERMINATION)));
      await monkey.stop();
      await expect.poll(standing, ONCE_CLEANED_UP).toEqual(before);
      process.stderr.write(`${monkey.struck.length} strikes: ${monkey.struck.join(' ')}\n`);
      expect(new Set(monkey.struck).size).toBeGreaterThanOrEqual(5);
    },
    minutes(10),
  );
});

/** The lab's image has another digest than Docker Hub's. */
function inLab(body: JsonObject): JsonObject {
  const params = body.additionalParams as Record<string, JsonObject>;
  Object.assign(params.private_registry_installation_param!, { registry_image: 'registry:2.8.3' });
  return body;
}
