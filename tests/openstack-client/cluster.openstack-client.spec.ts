import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { millis, minutes, waitUntil } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { home, startDeployed, type Deployed } from '../support/deployed.js';
import { OpenStackClient } from './support/client.js';
import { ClusterBySsh } from './support/cluster-by-ssh.js';
import { guideLines, type GuideLines } from './support/guide-lines.js';

interface ShownVnfc {
  id: string;
  vduId: 'masterNode' | 'workerNode';
  computeResource: { resourceId: string };
}

/** Labels of the guide's tables; `node-role.kubernetes.io/master` is what Kubernetes called a control plane until 1.24. */
const LABELS = [
  'beta.kubernetes.io/arch=amd64',
  'beta.kubernetes.io/os=linux',
  'kubernetes.io/arch=amd64',
  'kubernetes.io/os=linux',
];
const CONTROL_PLANE = ['node-role.kubernetes.io/control-plane=', 'node.kubernetes.io/exclude-from-external-load-balancers='];

/** A test's: an operation takes some minutes on a machine that does much else, and some tests have two. */
const WITHIN = minutes(35);

const COLUMNS = '-c resource_name -c physical_resource_id -c resource_type -c resource_status';

let deployed: Deployed;
let client: OpenStackClient;
let guide: GuideLines;
let packageId: string;
let vnf: string;

beforeAll(async () => {
  guide = await guideLines(home);
  deployed = await startDeployed();
  const { keystoneUrl, user, password, project } = deployed.lab;
  client = await OpenStackClient.with({
    OS_AUTH_URL: keystoneUrl,
    OS_IDENTITY_API_VERSION: '3',
    OS_USERNAME: user,
    OS_PASSWORD: password,
    OS_PROJECT_NAME: project,
    OS_USER_DOMAIN_NAME: 'Default',
    OS_PROJECT_DOMAIN_NAME: 'Default',
  });
});
afterAll(async () => {
  await client.close();
  await deployed.close();
});

/** A line of the guide, typed where the files are that it names; what it prints. @param names what variables of the line are */
async function typed(line: string, names: Record<string, string> = {}): Promise<string> {
  const { status, stdout, stderr } = await client.in(names).shell(`cd ${client.folder}\n${line}`, minutes(2));
  expect(status, `${line}\n${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

/** The rows of a table that the client prints, by columns. */
const rowsOf = (table: string): string[][] =>
  table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(1)
    .map((line) => line.slice(1, -1).split('|').map((field) => field.trim())); // prettier-ignore

const idIn = (table: string, field: string): string => rowsOf(table).find(([name]) => name === field)?.[1] ?? '';

/** Looks as the guide's reader does, until the newest operation of that kind has completed. */
async function completed(operation: string): Promise<void> {
  await waitUntil(
    async (seen) => {
      const filter = `(eq,vnfInstanceId,${vnf});(eq,operation,${operation})`;
      const all = await client.list('vnflcm', 'op', 'list', '--filter', filter);
      const states = all.map((each) => String(each['Operation State']));
      seen(states.join(', '));
      if (states.some((state) => state.startsWith('FAILED') || state === 'ROLLED_BACK'))
        throw new Error(`${operation} is ${states.join(', ')}`);
      return states.every((state) => state === 'COMPLETED') ? true : undefined;
    },
    { for: `${operation} to be COMPLETED`, within: minutes(15), every: millis(500) },
  );
}

async function vnfcs(vduId?: ShownVnfc['vduId']): Promise<ShownVnfc[]> {
  const shown = JSON.parse(await typed(guide.show, { VNF: vnf })) as {
    'Instantiated Vnf Info': { vnfcResourceInfo: ShownVnfc[] };
  };
  return shown['Instantiated Vnf Info'].vnfcResourceInfo.filter((vnfc) => vduId === undefined || vnfc.vduId === vduId);
}

const workersOfStack = async (): Promise<string[][]> =>
  rowsOf(await typed(`openstack stack resource list vnf-${vnf} -n 2 --filter type=complex_nested_worker.yaml ${COLUMNS}`));
const serversOfStack = async (): Promise<string[][]> =>
  rowsOf(await typed(`openstack stack resource list vnf-${vnf} -n 2 --filter type=OS::Nova::Server ${COLUMNS}`));
const stackId = async (): Promise<string> => {
  const rows = rowsOf(await typed("openstack stack list -c 'ID' -c 'Stack Name' -c 'Stack Status'"));
  expect(rows).toEqual([[expect.any(String), `vnf-${vnf}`, expect.stringMatching(/^(CREATE|UPDATE)_COMPLETE$/)]]);
  return rows[0]![0]!;
};

/** The cluster at the address that it is registered with; made anew, it may have another. */
async function registered(): Promise<ClusterBySsh> {
  const { 'VIM Connection Info': connections } = await client.show('vnflcm', 'show', vnf);
  const vims = connections as { vimType: string; accessInfo: { authUrl: string } }[];
  const authUrl = vims.find(({ vimType }) => vimType === 'kubernetes')?.accessInfo.authUrl ?? '';
  expect(authUrl).toMatch(/^https:\/\/10\.\d+\.\d+\.\d+:16443$/);
  return new ClusterBySsh(deployed.lab.fleet, new URL(authUrl).hostname);
}

/** What the guide shows of the cluster: its nodes, their labels, etcd, the back ends and who knows whom; as many workers as that, and three masters. */
async function expectCluster(workers: number): Promise<void> {
  const cluster = await registered();
  const all = await vnfcs();
  const named = all.map(({ vduId, computeResource: { resourceId } }) => {
    const [address = ''] = deployed.lab.fleet.addresses(resourceId);
    const isMaster = vduId === 'masterNode';
    return { resourceId, address, isMaster, name: `${isMaster ? 'master' : 'worker'}${address.split('.').at(-1) ?? ''}` };
  });
  const masters = named.filter(({ isMaster }) => isMaster);
  expect([masters.length, named.length]).toEqual([3, 3 + workers]);
  expect(await cluster.nodes()).toEqual(
    named.map(({ name, isMaster }) => `${name} Ready ${isMaster ? 'control-plane' : '<none>'}`).sort(),
  );
  const labels = await cluster.labels();
  for (const { name, isMaster } of named)
    expect(labels.get(name)).toEqual(
      expect.arrayContaining([...LABELS, `kubernetes.io/hostname=${name}`, ...(isMaster ? CONTROL_PLANE : [])]),
    );
  const lines = named.map(({ name, address }) => `${address} ${name}`).sort();
  for (const { resourceId } of named) expect(await cluster.peers(resourceId)).toEqual(lines);
  for (const { resourceId } of masters) {
    expect(await cluster.members(resourceId)).toEqual(masters.map(({ name }) => `${name} false`).sort());
    expect(await cluster.backends(resourceId)).toEqual(masters.map(({ name, address }) => `${name} ${address}:6443`).sort());
  }
}

describe('the guide of Kubernetes clusters, typed into the unmodified openstack command line', () => {
  it(
    'makes and uploads the package',
    async () => {
      packageId = idIn(await typed('openstack vnf package create'), 'ID');
      await typed(
        `cd ${join(home, 'samples/kubernetes')} && python3 -m zipfile -c ${client.folder}/sample_kubernetes_csar.zip Definitions/ Files/ TOSCA-Metadata/ BaseHOT/ UserData/ Scripts/`,
      );
      expect(await typed(`openstack vnf package upload --path ./sample_kubernetes_csar.zip ${packageId}`)).toContain(
        `Upload request for VNF package ${packageId} has been accepted.`,
      );
      await expect
        .poll(async () => idIn(await typed(`openstack vnf package show ${packageId}`), 'Onboarding State'), { timeout: 60_000 })
        .toBe('ONBOARDED');
      const shown = await typed(`openstack vnf package show ${packageId}`);
      expect([idIn(shown, 'Operational State'), idIn(shown, 'Usage State')]).toEqual(['ENABLED', 'NOT_IN_USE']);
    },
    WITHIN,
  );

  it(
    'creates and instantiates a cluster of three masters and two workers',
    async () => {
      const vnfdId = idIn(await typed(`openstack vnf package show ${packageId}`), 'VNFD ID');
      const request = await readFile(join(home, 'samples/requests/instantiate-kubernetes-complex.json'), 'utf8');
      await client.file('complex_kubernetes_param_file.json', request.replaceAll('${NETWORK_ID}', deployed.lab.networkName));
      vnf = idIn(await typed(`openstack vnflcm create ${vnfdId}`), 'ID');
      expect(await typed(`openstack vnflcm instantiate ${vnf} ./complex_kubernetes_param_file.json`)).toBe(
        `Instantiate request for VNF Instance ${vnf} has been accepted.`,
      );
      await completed('INSTANTIATE');
      const shown = await client.show('vnflcm', 'show', vnf);
      expect(shown).toMatchObject({ 'Instantiation State': 'INSTANTIATED', 'VNFD ID': vnfdId });
      await expectCluster(2);
    },
    WITHIN,
  );

  it(
    'scales workers out, and in again',
    async () => {
      const before = await workersOfStack();
      expect(before.map(([, , type, status]) => `${type ?? ''} ${status ?? ''}`)).toEqual(
        Array(2).fill('complex_nested_worker.yaml CREATE_COMPLETE'),
      );
      expect(await typed(guide.scaleOut, { VNF: vnf })).toBe(`Scale request for VNF Instance ${vnf} has been accepted.`);
      await completed('SCALE');
      const out = await workersOfStack();
      const statusOf = ([name, id, , status]: string[]): string => `${name ?? ''} ${id ?? ''} ${status ?? ''}`;
      expect(out).toHaveLength(3);
      expect(out.map(statusOf)).toEqual(
        expect.arrayContaining(before.map(([name, id]) => `${name ?? ''} ${id ?? ''} UPDATE_COMPLETE`)),
      );
      expect(out.map(([, , , status]) => status).sort()).toEqual(['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'UPDATE_COMPLETE']);
      await expectCluster(3);
      expect(await typed(guide.scaleIn, { VNF: vnf })).toBe(`Scale request for VNF Instance ${vnf} has been accepted.`);
      await completed('SCALE');
      // The guide's reference system lets the oldest go, and this one the newest.
      expect((await workersOfStack()).map(([name, id]) => [name, id]).sort()).toEqual(
        before.map(([name, id]) => [name, id]).sort(),
      );
      await expectCluster(2);
    },
    WITHIN,
  );

  it.each(['masterNode', 'workerNode'] as const)(
    'heals one %s',
    async (vduId) => {
      const before = await serversOfStack();
      const [one] = await vnfcs(vduId);
      const { id, computeResource } = one!;
      expect(await typed(guide.healOne, { VNF: vnf, VNFC: id })).toBe(`Heal request for VNF Instance ${vnf} has been accepted.`);
      await completed('HEAL');
      const after = await serversOfStack();
      expect(after.map(([name]) => name).sort()).toEqual(before.map(([name]) => name).sort());
      const ids = (rows: string[][]): (string | undefined)[] => rows.map(([, physical]) => physical);
      expect(ids(before).filter((physical) => !ids(after).includes(physical))).toEqual([computeResource.resourceId]);
      await expectCluster(2);
    },
    WITHIN,
  );

  it(
    'heals the entire cluster: another stack of the same name',
    async () => {
      const [before, servers] = [await stackId(), await serversOfStack()];
      expect(await typed(guide.healAll, { VNF: vnf })).toBe(`Heal request for VNF Instance ${vnf} has been accepted.`);
      await completed('HEAL');
      const after = await serversOfStack();
      expect(after.filter(([, id]) => servers.some(([, was]) => was === id))).toEqual([]);
      expect(await stackId()).not.toBe(before);
      await expectCluster(2);
    },
    WITHIN,
  );

  it(
    'terminates and deletes it with the package, and nothing is left',
    async () => {
      expect(await typed(guide.terminate, { VNF: vnf })).toBe(`Terminate request for VNF Instance '${vnf}' has been accepted.`);
      await completed('TERMINATE');
      expect(await typed(guide.delete, { VNF: vnf })).toBe(`Vnf instance '${vnf}' is deleted successfully`);
      await typed(`openstack vnf package update --operational-state DISABLED ${packageId}`);
      await typed(`openstack vnf package delete ${packageId}`);
      expect(rowsOf(await typed("openstack stack list -c 'ID' -c 'Stack Name' -c 'Stack Status'"))).toEqual([]);
    },
    WITHIN,
  );
});
