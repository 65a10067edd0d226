import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:https';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { mergePatch, seconds, type JsonObject } from '@windlass/foundation';
import { defaultSettings, k8sParts } from '@windlass/k8s-mgmt';
import { flavour, INSTANCE, PARAMS, plainParams, script, validateRequest } from '@windlass/k8s-mgmt/testing';
import { clusterVimId } from '@windlass/mgmt-driver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodesCome } from '../support/nodes-come.js';
import { labCluster } from './support/lab-cluster.js';

const run = promisify(execFile);
const FLOATING = [
  { id: 'master_FIP', cp: 'masterNode_CP1' },
  { id: 'worker_FIP', cp: 'workerNode_CP2' },
];

type Lab = Awaited<ReturnType<typeof labCluster>>;

let lab: Lab;
/** What hooks are told of a request whose logins are at floating IPs. */
let params: JsonObject;
let floating: string[];
let made: ReturnType<Lab['operation']>;
const gateways: Server[] = [];
/** How often each was logged in to. */
const logins = new Map<string, number>();
const open = new Set<Socket>();

beforeAll(async () => {
  params = plainParams();
  const cluster = params[PARAMS] as Record<string, JsonObject>;
  cluster.master_node!.ssh_cp_name = 'master_FIP';
  cluster.worker_node!.ssh_cp_name = 'worker_FIP';
  const told = { ...flavour(), floatingIps: FLOATING, sharedPorts: [] };
  const { driver } = k8sParts(defaultSettings);
  const { invalidParams, normalised } = driver.validate(validateRequest(params, { flavour: told }));
  expect(invalidParams).toEqual([]);
  params = mergePatch(params, normalised) as JsonObject;
  lab = await labCluster({ params, images: ['ubuntu-22.04', 'ubuntu-22.04'], hook: { files: [script()] } });
  floating = await Promise.all(lab.vnfcs.map((vnfc) => given(vnfc.cps[0]!)));
});
afterAll(async () => {
  for (const socket of open) socket.destroy();
  for (const gateway of gateways) gateway.close();
  await lab.end();
});

/** Gives a port a floating IP, at which the lab's host passes on what comes to the machine, which knows nothing of it. It goes with the bridge. */
async function given(cp: { addresses: string[]; floatingIp: string | null }): Promise<string> {
  const [inside = ''] = cp.addresses;
  const [first, second, third, last] = inside.split('.');
  const outside = [first, 100 + Number(second), third, last].join('.');
  await run('ip', ['address', 'add', `${outside}/32`, 'dev', `wl-${second ?? ''}-${third ?? ''}`]);
  for (const port of [22, 6443]) {
    const gateway = createServer((client) => {
      if (port === 22) logins.set(outside, (logins.get(outside) ?? 0) + 1);
      const machine = connect(port, inside);
      for (const [socket, other] of [
        [client, machine],
        [machine, client],
      ] as const) {
        open.add(socket);
        socket.on('error', () => other.destroy()).on('close', () => open.delete(socket));
      }
      client.pipe(machine).pipe(client);
    });
    gateway.listen(port, outside);
    await once(gateway, 'listening');
    gateways.push(gateway);
  }
  cp.floatingIp = outside;
  return outside;
}

const onMaster = async (...argv: string[]): Promise<string> => {
  const { status, stdout, stderr } = await lab.fleet.exec('server-master-0', argv);
  expect(status, stderr).toBe(0);
  return stdout.trim();
};

/** What the API answers at an address to who trusts the cluster's CA alone, by the account that the VIM is registered with. */
async function apiAt(host: string, { ca, token }: { ca: string; token: string }): Promise<number | undefined> {
  const path = '/api/v1/nodes';
  const asked = request({ host, port: 6443, path, ca, headers: { Authorization: `Bearer ${token}` }, timeout: seconds(10) });
  const answered = once(asked, 'response') as Promise<[{ statusCode?: number; resume: () => void }]>;
  asked.end();
  const [response] = await answered;
  response.resume();
  return response.statusCode;
}

describe('a cluster of lab VMs that are logged in to at floating IPs, which no machine knows', () => {
  it('is made, of nodes that know each other by the addresses inside', async () => {
    made = lab.operation({}, params);
    await made.runner.run();
    const [master, worker] = lab.vnfcs.map(({ cps }) => cps[0]!.addresses[0] ?? '');
    const format = 'jsonpath={range .items[*]}{.status.addresses[?(@.type=="InternalIP")].address}{"\\n"}{end}';
    const kubectl = ['kubectl', '--kubeconfig=/home/ubuntu/.kube/config', 'get', 'nodes'];
    expect((await onMaster(...kubectl, '-o', format)).split('\n').sort()).toEqual([master, worker].sort());
    const rows = async () =>
      (await onMaster(...kubectl, '--no-headers'))
        .split('\n')
        .map((row) => row.split(/\s+/).slice(0, 2).join(' '))
        .sort();
    await nodesCome(rows, ['master10 Ready', 'worker11 Ready']);
  });

  it('was logged in to there', () => {
    expect([...logins.keys()].sort()).toEqual([...floating].sort());
  });

  it('is registered at the master’s floating IP, and answers there by a certificate of the cluster’s CA', async () => {
    const vim = made.vims.vims.get(clusterVimId(INSTANCE));
    expect(vim?.auth_url).toBe(`https://${floating[0] ?? ''}:6443`);
    const { bearer_token: token, ssl_ca_cert: ca } = vim!.auth_cred as { bearer_token: string; ssl_ca_cert: string };
    expect(await apiAt(floating[0]!, { ca, token })).toBe(200);
  });
});
