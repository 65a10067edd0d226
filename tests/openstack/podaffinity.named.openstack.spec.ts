import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { minutes, type JsonObject } from '@windlass/foundation';
import { evidence } from '@windlass/foundation/testing';
import { HostFleet, installHostPackages, sharedCache, standinPackages } from '@windlass/lab';
import { onboard } from '@windlass/windlass';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { home, startProduct, type Product } from '../support/deployed.js';
import { nodesCome } from '../support/nodes-come.js';
import { openStackVim } from '../support/openstack-vim.js';
import type { ShownVnfc } from '../support/shown-vnfc.js';
import { required, type ProjectUser } from './testing/real-connection.js';
import { LabProject } from './support/lab-project.js';
import { MachinesBehindPorts } from './support/machines-behind-ports.js';

const KUBECTL = ['kubectl', '--kubeconfig=/etc/kubernetes/admin.conf'];
const GROUPS = { masterNode: 'master_group', workerNode: 'worker_group' } as const;
/** As many as the OpenStack has compute hosts. */
const HOSTS = 3;
const NOTHING = { stacks: 0, servers: 0, server_groups: 0, ports: 0, images: 0 };

let dataDir: string;
let fleet: HostFleet;
let project: LabProject;
let product: Product;
let vnfdId: string;
let path: string;

const quiet = (): void => undefined;

/** What there is to be ended, the last first. */
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  await installHostPackages(quiet);
  dataDir = evidence.folder(await mkdtemp(join(tmpdir(), 'windlass-openstack-')));
  ends.push(() => rm(dataDir, { recursive: true, force: true }));
  fleet = await HostFleet.start({
    dataDir: join(dataDir, 'lab'),
    cacheDir: sharedCache(),
    log: quiet,
    standins: await standinPackages(),
  });
  ends.push(() => fleet.stop());
  project = await LabProject.make(fleet.network);
  ends.push(() => project.remove());
  const machines = MachinesBehindPorts.begin(project, fleet);
  ends.push(() => machines.end());
  product = await startProduct(dataDir, () => ({ KUBERNETES_APT_URL: 'none', STACK_ABSENT_FOR: '5s', VIM_ALLOW: '127.0.0.0/8' }));
  ends.push(() => product.close());
  vnfdId = await packageOnTheNetwork();
});

afterAll(async () => {
  const failures: unknown[] = [];
  for (const end of ends.reverse()) await end().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('\n'));
});

/** The sample, its VIP on the project's network. */
async function packageOnTheNetwork(): Promise<string> {
  const folder = join(dataDir, 'package');
  await cp(join(home, 'samples/kubernetes'), folder, { recursive: true });
  const top = join(folder, 'BaseHOT/podaffinity/podaffinity_hot_top.yaml');
  await writeFile(top, (await readFile(top, 'utf8')).replace('network: net0', `network: ${project.networkName}`));
  return String((await onboard(product.api, folder)).vnfdId);
}

async function vimOf({ name, password, project: projectName }: ProjectUser): Promise<string> {
  const access = { url: required('OS_AUTH_URL'), tenant: { user: name, password, project: projectName } };
  const { vim } = await product.api.post<{ vim: { id: string } }>('/v1.0/vims', { vim: openStackVim(name, access) });
  return vim.id;
}

/** The sample's request, and an instance for it. @param vimName what its cluster is to be called as a VIM */
async function newCluster(vimId: string, vimName = 'kubernetes_vim_podaffinity'): Promise<{ at: string; request: JsonObject }> {
  const { id } = await product.api.post<{ id: string }>('/vnflcm/v1/vnf_instances', { vnfdId });
  const text = await readFile(join(home, 'samples/requests/instantiate-kubernetes-podaffinity.json'), 'utf8');
  const request = JSON.parse(
    text.replaceAll('${NETWORK_ID}', project.networkName).replace('kubernetes_vim_podaffinity', vimName),
  ) as JsonObject;
  return {
    at: `/vnflcm/v1/vnf_instances/${id}`,
    request: { ...request, vimConnectionInfo: [{ id: vimId, vimId, vimType: 'openstack' }] },
  };
}

async function operate(task: string, body: JsonObject, at = path): Promise<JsonObject> {
  const accepted = await product.api.accept(`${at}/${task}`, body);
  return product.api.follow(accepted, minutes(20), quiet);
}

async function vnfcs(): Promise<ShownVnfc[]> {
  const { instantiatedVnfInfo } = await product.api.get<{ instantiatedVnfInfo: { vnfcResourceInfo: ShownVnfc[] } }>(path);
  return instantiatedVnfInfo.vnfcResourceInfo;
}

const serverOf = ({ computeResource }: ShownVnfc): string => computeResource.resourceId;

/** Address, state and label of each node, as a master's cluster has them. */
async function nodes(): Promise<string[]> {
  const master = (await vnfcs()).find(({ vduId }) => vduId === 'masterNode')!;
  const fields = '{.status.addresses[0].address} {.status.conditions[?(@.type=="Ready")].status} {.metadata.labels.CIS-node}';
  const argv = [...KUBECTL, 'get', 'nodes', '-o', `jsonpath={range .items[*]}${fields}{"\\n"}{end}`];
  const { status, stdout, stderr } = await fleet.exec(serverOf(master), argv);
  if (status !== 0) throw new Error(stderr);
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .sort();
}

/** Instance, Nova and cluster agree: who is a member of which group, and on which host each worker is. */
async function expectApart(workers: number): Promise<void> {
  const shown = await vnfcs();
  const [servers, groups] = [await project.servers(), await project.serverGroups()];
  expect(servers.map(({ id, status }) => [id, status]).sort()).toEqual(shown.map((vnfc) => [serverOf(vnfc), 'ACTIVE']).sort());
  const rows: string[] = [];
  for (const [vduId, name] of Object.entries(GROUPS)) {
    const ids = shown.filter((vnfc) => vnfc.vduId === vduId).map(serverOf).sort(); // prettier-ignore
    expect(ids, vduId).toHaveLength(vduId === 'workerNode' ? workers : HOSTS);
    const group = groups.find((each) => each.name === name)!;
    expect({ policy: group.policy, members: [...group.members].sort() }).toEqual({ policy: 'anti-affinity', members: ids });
    const members = servers.filter(({ id }) => ids.includes(id));
    expect(members.map(({ server_groups: of }) => of)).toEqual(members.map(() => [group.id]));
    expect(new Set(members.map(({ host }) => host)).size).toBe(members.length);
    for (const { id, host } of members)
      rows.push(`${fleet.addresses(id)[0] ?? ''} True${vduId === 'workerNode' ? ` ${host}` : ''}`);
  }
  await nodesCome(nodes, rows.sort());
}

describe(
  'a cluster whose nodes are kept apart by server groups of a real OpenStack, its hosts the machines of the lab',
  { timeout: minutes(30) },
  () => {
    it('is made: three masters behind an address and two workers, each on a host of its own, whose name the workers have', async () => {
      const { at, request } = await newCluster(await vimOf(project.seeing));
      path = at;
      expect(await operate('instantiate', request)).toMatchObject({ operationState: 'COMPLETED' });
      await expectApart(2);
    });

    it('is refused to a user who is not shown the hosts, and nothing is made', async () => {
      const before = await project.counts();
      const { at, request } = await newCluster(await vimOf(project.blind), 'kubernetes_vim_hidden');
      expect(await operate('instantiate', request, at)).toMatchObject({
        operationState: 'ROLLED_BACK',
        error: { detail: expect.stringContaining('does not show user') as string },
      });
      expect(await project.counts()).toEqual(before);
    });

    it('gets a third worker, on the host that had none', async () => {
      const request = { type: 'SCALE_OUT', aspectId: 'worker_instance', numberOfSteps: 1 };
      expect(await operate('scale', request)).toMatchObject({ operationState: 'COMPLETED' });
      await expectApart(HOSTS);
    });

    it.each(['workerNode', 'masterNode'])('has one %s healed although no host is free of its group', async (vduId) => {
      const before = await vnfcs();
      const healed = before.find((vnfc) => vnfc.vduId === vduId)!;
      await fleet.exec(serverOf(healed), ['systemctl', 'kill', '--signal=KILL', 'kubelet']);
      const request = { vnfcInstanceId: [healed.id], cause: 'its kubelet is dead' };
      expect(await operate('heal', request)).toMatchObject({ operationState: 'COMPLETED' });
      await expectApart(HOSTS);
      const after = (await vnfcs()).map(serverOf);
      expect(after).not.toContain(serverOf(healed));
      expect(before.filter((vnfc) => !after.includes(serverOf(vnfc)))).toHaveLength(1);
    });

    it('loses a worker, and ends with nothing left', async () => {
      const request = { type: 'SCALE_IN', aspectId: 'worker_instance', numberOfSteps: 1 };
      expect(await operate('scale', request)).toMatchObject({ operationState: 'COMPLETED' });
      await expectApart(2);
      expect(await operate('terminate', { terminationType: 'FORCEFUL' })).toMatchObject({ operationState: 'COMPLETED' });
      expect(await project.counts()).toEqual(NOTHING);
    });
  },
);
