import { createHash, randomUUID } from 'node:crypto';
import { minutes, seconds, waitUntil, type Duration, type JsonObject } from '@windlass/foundation';
import type { LabKubernetes } from '@windlass/workbench';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDeployed, type Deployed } from '../../support/deployed.js';
import { killService } from '../../support/killed-services.js';
import { commandsOf, GuideShell } from '../../support/guide-shell.js';
import type { ShownVnfc } from '../../support/shown-vnfc.js';
import { outOfSequence, type OrderedStep } from './sequence.js';
import { ONCE_CLEANED_UP } from '../../support/cleaned-up.js';

const DATA = randomUUID().repeat(2_048);
const HASH = createHash('sha256').update(DATA).digest('hex');
const FILE = '/volume/nfs/pv1/data';

let deployed: Deployed;
let shell: GuideShell;
let blocks: string[];
let instance = '';
let before: unknown;

/** Runs the next block of the guide. Returns the output. */
async function next(): Promise<string> {
  const block = blocks.shift();
  if (block === undefined) throw new Error('the guide has no more commands');
  return shell.run(block, minutes(25));
}

const idIn = (printed: string): string => {
  const id = /accepted: \/vnflcm\/v1\/vnf_lcm_op_occs\/(\S+)/.exec(printed)?.[1];
  if (id === undefined) throw new Error(`no operation was accepted: ${printed}`);
  return id;
};
const stepsOf = (printed: string) => deployed.api.get<OrderedStep[]>(`/windlass/v1/operations/${idIn(printed)}/steps`);
const warningsOf = async (printed: string): Promise<string[]> =>
  (await deployed.api.get<{ warnings?: string[] }>(`/windlass/v1/operations/${idIn(printed)}`)).warnings ?? [];

async function vnfcs(vduId: string): Promise<ShownVnfc[]> {
  const { instantiatedVnfInfo } = await deployed.api.get<{ instantiatedVnfInfo: { vnfcResourceInfo: ShownVnfc[] } }>(instance);
  return instantiatedVnfInfo.vnfcResourceInfo.filter((vnfc) => vnfc.vduId === vduId);
}

const serverOf = async (vduId: string): Promise<string> => (await vnfcs(vduId))[0]?.computeResource.resourceId ?? '';

/** Runs a program on a VM as root. Returns the output. */
async function on(server: string, argv: string[], input = ''): Promise<string> {
  const { status, stdout, stderr } = await deployed.lab.fleet.exec(server, argv, { input });
  if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${String(status)}: ${stdout}${stderr}`);
  return stdout.trim();
}

const hash = async (): Promise<string> => (await on(await serverOf('storage_server'), ['sha256sum', FILE])).slice(0, 64);

/** Name, phase, NFS server and label of each PersistentVolume, by the cluster's API. */
async function volumes(): Promise<string[]> {
  const list = await on(await serverOf('masterNode'), [
    'kubectl',
    '--kubeconfig=/etc/kubernetes/admin.conf',
    'get',
    'pv',
    '-o',
    'json',
  ]);
  const { items } = JSON.parse(list) as { items: { metadata: JsonObject; spec: { nfs: JsonObject }; status: JsonObject }[] };
  return items
    .map(({ metadata, spec, status }) =>
      [metadata.name, status.phase, spec.nfs.server, (metadata.labels as JsonObject)['windlass/vnf-instance']]
        .map(String)
        .join(' '),
    )
    .sort();
}

/** Checks that our three PersistentVolumes are on the storage server's present address, in these phases. */
async function expectVolumes(...phases: [string, string, string]): Promise<void> {
  const [address = ''] = deployed.lab.fleet.addresses(await serverOf('storage_server'));
  const id = instance.split('/').at(-1) ?? '';
  expect(await volumes()).toEqual(phases.map((phase, n) => `nfs-pv${n + 1} ${phase} ${address} ${id}`));
}

/** The document's sequence, with the checks before it. */
const installed = (clients: readonly string[]): string[][] => [
  ['check-volume-manifests'],
  ['set-up-storage', ...clients],
  ['try-nfs-mounts'],
  ['register-persistent-volumes'],
  ['register-vim'],
];

const ofStorage = (steps: readonly OrderedStep[]): string[] =>
  steps
    .filter(({ service }) => service === 'storage-mgmt')
    .map(({ action }) => action)
    .sort();

/** Kills a service while a step runs; the supervisor starts the service again. */
async function killed(service: string, action: string): Promise<void> {
  const path = '/vnflcm/v1/vnf_lcm_op_occs';
  await waitUntil(
    async () => {
      const running = (await deployed.api.list(path)).find(({ operationState }) => operationState === 'PROCESSING');
      if (running === undefined) return undefined;
      const steps = await deployed.api.get<(OrderedStep & { state: string })[]>(
        `/windlass/v1/operations/${String(running.id)}/steps`,
      );
      return steps.some((step) => step.action === action && step.state === 'running') ? true : undefined;
    },
    { for: `${action} to run`, within: seconds(120), every: seconds(0.1) },
  );
  await killService(deployed, service);
}

/** Tests the guide's unchanged commands on a cluster of a kind. @param within the limit of a command */
export function storageGuide(kubernetes: LabKubernetes, within: Duration): void {
  describe(`docs/guides/kubernetes-storage.md, whose commands are run as they stand (${kubernetes})`, { timeout: within }, () => {
    beforeAll(async () => {
      deployed = await startDeployed({}, { kubernetes });
      before = deployed.lab.emulator.inventory();
      shell = await GuideShell.start(deployed);
      blocks = await commandsOf('kubernetes-storage.md');
    });
    afterAll(async () => {
      await shell.close();
      await deployed.close();
    });

    it('instantiates: volume and exports, NFS clients on every node, PersistentVolumes, then the VIM, as in the document’s sequence', async () => {
      const printed = await next();
      const steps = await stepsOf(printed);
      const [shown] = await deployed.api.list('/vnflcm/v1/vnf_instances');
      instance = `/vnflcm/v1/vnf_instances/${String(shown?.id)}`;
      const clients = ['install-nfs-client', 'install-nfs-client'];
      expect(outOfSequence(steps, [['check-volume-manifests'], ['inspect-nodes']])).toEqual([]);
      expect(outOfSequence(steps, installed(clients))).toEqual([]);
      expect(outOfSequence(steps, [['init-control-plane'], ['verify-cluster'], ['register-persistent-volumes']])).toEqual([]);
      expect(ofStorage(steps)).toEqual([
        'check-volume-manifests',
        ...clients,
        'register-persistent-volumes',
        'set-up-storage',
        'try-nfs-mounts',
      ]);
      // The lab's nodes can't mount NFS: a node only asked the server for its exports, and the operation's warning says so.
      expect((await warningsOf(printed)).join()).toContain('no PersistentVolume was mounted for a try');
    });

    it('has every PersistentVolume Available, on the server’s address, with the instance’s label', async () => {
      expect(await next()).toMatch(/nfs-pv1 .* Available/);
      await expectVolumes('Available', 'Available', 'Available');
      await on(await serverOf('storage_server'), ['tee', FILE], DATA);
      expect(await hash()).toBe(HASH);
    });

    it('has one of them claimed', async () => {
      await next();
      expect((await volumes()).filter((line) => line.includes(' Bound '))).toHaveLength(1);
    });

    it('scales out: the newcomer can mount NFS, and nothing of storage is done besides', async () => {
      const there = (await vnfcs('workerNode')).map(({ id }) => id);
      const steps = await stepsOf(await next());
      expect(ofStorage(steps)).toEqual(['install-nfs-client']);
      const came = (await vnfcs('workerNode')).filter(({ id }) => !there.includes(id));
      expect(came).toHaveLength(1);
      expect(await on(came[0]!.computeResource.resourceId, ['dpkg', '--status', 'nfs-common'])).toContain('ok installed');
    });

    it('refuses to heal the storage server while a PersistentVolume is bound, with its name and its claim, and touches nothing', async () => {
      const server = await serverOf('storage_server');
      const operations = (await deployed.api.list('/vnflcm/v1/vnf_lcm_op_occs')).length;
      const printed = await next();
      expect(printed).toMatch(/in use, and their server would be replaced: nfs-pv\d \(claim default\/data\)/);
      expect(printed).toContain('as it should be');
      expect((await deployed.api.list('/vnflcm/v1/vnf_lcm_op_occs')).length).toBe(operations);
      expect(await serverOf('storage_server')).toBe(server);
      expect((await volumes()).filter((line) => line.includes(' Bound '))).toHaveLength(1);
    });

    it('heals it when the claim is gone, although storage-mgmt dies meanwhile: another machine, the same file, PersistentVolumes anew', async () => {
      const server = await serverOf('storage_server');
      const [printed] = await Promise.all([next(), killed('storage-mgmt', 'set-up-storage')]);
      const steps = await stepsOf(printed);
      const sequence = [
        ['check-volumes-unbound'],
        ['remove-persistent-volumes'],
        ['replace-servers'],
        ['set-up-storage'],
        ['try-nfs-mounts'],
        ['register-persistent-volumes'],
      ];
      expect(outOfSequence(steps, sequence)).toEqual([]);
      expect(ofStorage(steps)).toHaveLength(5);
      expect((await warningsOf(printed)).join()).toContain('volumes of the storage server');
      expect(await serverOf('storage_server')).not.toBe(server);
      expect(await hash()).toBe(HASH);
      await expectVolumes('Available', 'Available', 'Available');
    });

    it('heals the whole, every VM in its place: a new cluster, the same file, PersistentVolumes registered there', async () => {
      const was = [await serverOf('storage_server'), await serverOf('masterNode')];
      const printed = await next();
      const steps = await stepsOf(printed);
      const clients = Array.from({ length: 3 }, () => 'install-nfs-client');
      expect(outOfSequence(steps, installed(clients))).toEqual([]);
      expect(was).not.toContain(await serverOf('storage_server'));
      expect(was).not.toContain(await serverOf('masterNode'));
      expect(await hash()).toBe(HASH);
      await expectVolumes('Available', 'Available', 'Available');
    });

    it('leaves nothing behind', async () => {
      await next();
      expect(blocks).toEqual([]);
      await expect.poll(() => deployed.lab.emulator.inventory(), ONCE_CLEANED_UP).toEqual(before);
      expect(await deployed.api.list('/vnflcm/v1/vnf_instances')).toEqual([]);
    });
  });
}
