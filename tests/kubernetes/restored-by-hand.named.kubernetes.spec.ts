import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { minutes } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandsOf } from '../support/guide-shell.js';
import { nodesCome } from '../support/nodes-come.js';
import { TypedGuides } from '../support/typed-guides.js';
import { rebuild } from './support/rebuild.js';
import { RealCluster, type RealNode } from './support/real-cluster.js';

/** What the runbook types: its blocks, in its order. */
interface Runbook {
  save: string;
  onWorker: string;
  /** Steps 3 to 6, in one shell of the machine. */
  onMachine: string[];
  removePin: string;
}

let cluster: RealCluster;
let person: TypedGuides;
let runbook: Runbook;

beforeAll(async () => {
  cluster = await RealCluster.start();
  person = await TypedGuides.start(cluster.deployed);
  const [save = '', onWorker = '', ...others] = await commandsOf('cluster-snapshots.md', 'runbooks');
  runbook = { save, onWorker, onMachine: others.slice(0, -1), removePin: others.at(-1) ?? '' };
});
afterAll(async () => {
  await person.close();
  await cluster.close();
});

/** Types a block as a machine's root. @returns what it printed */
async function typeOn({ serverId }: RealNode, block: string): Promise<string> {
  const { status, stdout, stderr } = await cluster.deployed.lab.fleet.exec(serverId, ['bash', '-euo', 'pipefail', '-c', block]);
  if (status !== 0)
    throw new Error(`exit status ${String(status)} of\n${block}\n${stderr.slice(-4_000)}\n${stdout.slice(-2_000)}`);
  return stdout;
}

/** Brings a file to a machine's /root. */
async function bring(file: Buffer, { serverId }: RealNode, name: string): Promise<void> {
  const argv = ['sh', '-c', 'umask 077; base64 --decode > "/root/$1"', 'sh', name];
  const { status, stderr } = await cluster.deployed.lab.fleet.exec(serverId, argv, { input: file.toString('base64') });
  if (status !== 0) throw new Error(stderr);
}

/** Whether the master has a program. */
const has = async (program: string): Promise<boolean> =>
  (await cluster.on(master, 'sh', '-c', `command -v ${program}`)).status === 0;

const readyNodes = async (): Promise<string[]> =>
  (await cluster.done('get', 'nodes', '--no-headers'))
    .split('\n')
    .map((line) => line.split(/\s+/).slice(0, 2).join(' '))
    .sort();

let master: RealNode;

describe('docs/runbooks/cluster-snapshots.md: the only master restored by hand, on a real Kubernetes', () => {
  let before: string[];

  it(
    'is typed as it stands on a rebuilt machine: what users made is there, and every worker is Ready',
    async () => {
      const made = await cluster.rest(await cluster.instantiate());
      expect(made, JSON.stringify(made)).toMatchObject({ operationState: 'COMPLETED' });
      before = await readyNodes();
      let workers: RealNode[];
      ({ master, workers } = await cluster.nodes());
      await cluster.done('create', 'configmap', 'of-a-user', '--from-literal=said=before');
      const taken = await cluster.rest(
        await cluster.deployed.api.accept(`/windlass/v1/vnf_instances/${cluster.id}/snapshots`, { task: 'take' }),
      );
      expect(taken, JSON.stringify(taken)).toMatchObject({ operationState: 'COMPLETED' });

      const { lab } = cluster.deployed;
      await rebuild(lab.emulator, master.serverId);
      await cluster.until('the machine to be another', async () => ((await has('kubeadm')) ? undefined : true));
      await lab.fleet.ready(master.serverId);
      await person.shell.run(runbook.save.replaceAll('<id>', cluster.id));
      const [worker] = workers;
      await typeOn(worker!, runbook.onWorker);
      const node = await typeOn(worker!, 'base64 /root/node.tar.gz; rm /root/node.tar.gz /root/windlass-hosts');
      await bring(await readFile(join(person.folder, 'snapshot.tar.gz')), master, 'snapshot.tar.gz');
      await bring(Buffer.from(node, 'base64'), master, 'node.tar.gz');
      const said = await typeOn(master, runbook.onMachine.join('\n'));
      expect(said).toContain(master.name);

      await nodesCome(readyNodes, before);
      expect(await cluster.done('get', 'configmap', 'of-a-user', '-o', 'jsonpath={.data.said}')).toBe('before');
      const left = await typeOn(master, 'ls -A /root');
      expect(left).not.toMatch(/snapshot|node\.tar|windlass-hosts|kubeadm\.yaml/);
    },
    minutes(30),
  );

  it(
    'leaves a cluster that Windlass scales, once the old host key is removed',
    async () => {
      await person.shell.run(runbook.removePin.replaceAll('<server id>', master.serverId));
      const scaled = await cluster.rest(await cluster.scale('SCALE_OUT'));
      expect(scaled, JSON.stringify(scaled)).toMatchObject({ operationState: 'COMPLETED' });
      expect(await readyNodes()).toHaveLength(before.length + 1);
    },
    minutes(10),
  );
});
