import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { minutes, seconds, waitUntil, type Duration, type JsonObject } from '@windlass/foundation';
import { GUEST_NODE } from '@windlass/lab';
import { onboard } from '@windlass/windlass';
import type { LabKubernetes } from '@windlass/workbench';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PULL_IMAGE } from '../../registries/support/pull-image.js';
import { home, startDeployed, type Deployed } from '../../support/deployed.js';
import { commandsOf, GuideShell } from '../../support/guide-shell.js';
import type { ShownVnfc } from '../../support/shown-vnfc.js';
import { RegistryClient } from './registry-client.js';
import { ONCE_CLEANED_UP } from '../../support/cleaned-up.js';

const OPERATIONS = '/vnflcm/v1/vnf_lcm_op_occs';
const IMAGE = 'team/pause:1.0';

let deployed: Deployed;
let shell: GuideShell;
let registry: string[];
let nodes: string[];
let before: unknown;
let digest = '';

/** Runs the next block of a guide. Returns the output. */
async function next(blocks: string[]): Promise<string> {
  const block = blocks.shift();
  if (block === undefined) throw new Error('the guide has no more commands');
  return shell.run(block, minutes(25));
}

async function vnfcs(name: string): Promise<{ path: string; vnfcs: ShownVnfc[] }> {
  const instances = await deployed.api.list('/vnflcm/v1/vnf_instances');
  const path = `/vnflcm/v1/vnf_instances/${String(instances.find(({ vnfInstanceName }) => vnfInstanceName === name)?.id)}`;
  const { instantiatedVnfInfo } = await deployed.api.get<{ instantiatedVnfInfo: { vnfcResourceInfo: ShownVnfc[] } }>(path);
  return { path, vnfcs: instantiatedVnfInfo.vnfcResourceInfo };
}

const serverOf = ({ computeResource }: ShownVnfc): string => computeResource.resourceId;
const addressOf = (vnfc: ShownVnfc): string => deployed.lab.fleet.addresses(serverOf(vnfc))[0] ?? 'nowhere';

async function registryNamed(name: string): Promise<{ path: string; server: string; vnfc: ShownVnfc; client: RegistryClient }> {
  const { path, vnfcs: all } = await vnfcs(name);
  const vnfc = all[0]!;
  const server = `${addressOf(vnfc)}:5000`;
  return { path, server, vnfc, client: new RegistryClient(`http://${server}`) };
}

/** The answer of a node's containerd to a kubelet that wants the image; empty where the image is there. */
async function askedByKubelet(node: ShownVnfc, server: string): Promise<string> {
  const argv = [GUEST_NODE, '-e', PULL_IMAGE, `${server}/${IMAGE}`];
  const { stdout, stderr } = await deployed.lab.fleet.exec(serverOf(node), argv, { within: minutes(2) });
  return `${stdout}${stderr}`.trim();
}

/** The image's digests, in the order in which nodes printed them. */
const digestsIn = (printed: string): string[] =>
  printed
    .split('\n')
    .filter((line) => line.includes(`/${IMAGE} `))
    .flatMap((line) => / (sha256:[0-9a-f]{64}) /.exec(line)?.[1] ?? []);

const warningsOf = async (operation: string): Promise<string[]> => {
  const path = `/windlass/v1/operations/${operation.split('/').at(-1) ?? ''}`;
  return (await deployed.api.get<{ warnings?: string[] }>(path)).warnings ?? [];
};
const operationIn = (printed: string): string => /accepted: (\S+)/.exec(printed)?.[1] ?? 'none was accepted';
const ended = (operation: string): Promise<JsonObject> => deployed.api.follow(operation, minutes(8), () => undefined);

/** A DaemonSet of an image, which runs on masters, too. */
const onEveryNode = (image: string): string =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'pushed', namespace: 'default' },
    spec: {
      selector: { matchLabels: { app: 'pushed' } },
      template: {
        metadata: { labels: { app: 'pushed' } },
        spec: { tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }], containers: [{ name: 'pushed', image }] },
      },
    },
  });

/** Tests the unchanged commands of both guides, with a cluster of a kind. @param within the limit of a command */
export function registryGuides(kubernetes: LabKubernetes, within: Duration): void {
  beforeAll(async () => {
    deployed = await startDeployed({}, { kubernetes });
    before = deployed.lab.emulator.inventory();
    shell = await GuideShell.start(deployed);
    [registry, nodes] = await Promise.all([commandsOf('private-registry-vnf.md'), commandsOf('private-registries.md')]);
  });
  afterAll(async () => {
    await shell.close();
    await deployed.close();
  });

  describe(`the guides of private registries, whose commands are run as they stand (${kubernetes})`, { timeout: within }, () => {
    it('make a registry of the package without templates', async () => {
      await next(registry);
      expect(await next(registry)).toContain('{"repositories":[]}');
    });

    it('make a cluster; what its master pushes every worker pulls, by hand and as a kubelet', async () => {
      await next(nodes);
      const printed = await next(nodes);
      const { vnfcs: all } = await vnfcs('pulls');
      const digests = digestsIn(printed);
      expect(digests).toHaveLength(all.length);
      expect(new Set(digests).size, printed).toBe(1);
      digest = digests[0]!;
      const { server, client } = await registryNamed('registry');
      expect(await client.digestOf('team/pause', '1.0')).toBe(digest);
      for (const node of all) expect(await askedByKubelet(node, server), addressOf(node)).toBe('');
    });

    it('tell before anything happens what a heal does to the images', async () => {
      const { client } = await registryNamed('registry');
      const operations = (await deployed.api.list(OPERATIONS)).length;
      const printed = await next(registry);
      expect(printed).toMatch(/the images in the registry \S+ lie on the volume \S+, which the request replaces, and are lost/);
      expect(printed).toMatch(/the images in the registry \S+ stay: the volume \S+ is kept/);
      expect(await deployed.api.list(OPERATIONS)).toHaveLength(operations);
      expect(await client.digestOf('team/pause', '1.0')).toBe(digest);
    });

    it('heal the registry: another machine, the same images', async () => {
      const was = await registryNamed('registry');
      const printed = await next(registry);
      expect(printed).toContain('{"repositories":["team/pause"]}');
      expect((await warningsOf(operationIn(printed))).join()).toMatch(/the images in the registry \S+ stay/);
      const is = await registryNamed('registry');
      expect(serverOf(is.vnfc)).not.toBe(serverOf(was.vnfc));
      expect(is.server).toBe(was.server);
      expect(await is.client.digestOf('team/pause', '1.0')).toBe(digest);
    });

    it('have a worker come that pulls the digest which was pushed before the heal', async () => {
      const there = (await vnfcs('pulls')).vnfcs.map(({ id }) => id);
      expect(digestsIn(await next(nodes))).toEqual([digest]);
      const came = (await vnfcs('pulls')).vnfcs.filter(({ id }) => !there.includes(id));
      expect(came).toHaveLength(1);
      expect(await askedByKubelet(came[0]!, (await registryNamed('registry')).server)).toBe('');
    });

    it.runIf(kubernetes === 'real')('run pods of it on every node, the newcomer too, without a pull secret', async () => {
      const { server } = await registryNamed('registry');
      const { vnfcs: all } = await vnfcs('pulls');
      const kubectl = ['kubectl', '--kubeconfig=/etc/kubernetes/admin.conf'];
      const master = all.find(({ vduId }) => vduId === 'masterNode')!;
      const asked = async (argv: string[], input = ''): Promise<string> => {
        const { status, stdout, stderr } = await deployed.lab.fleet.exec(serverOf(master), [...kubectl, ...argv], { input });
        if (status !== 0) throw new Error(stderr);
        return stdout.trim();
      };
      await asked(['apply', '-f', '-'], onEveryNode(`${server}/${IMAGE}`));
      const ready = ['get', 'daemonset', 'pushed', '-o', 'jsonpath={.status.numberReady}'];
      const looked = { for: 'a pod of the pushed image to be Ready on every node', within: minutes(3), every: seconds(1) };
      await waitUntil(async () => ((await asked(ready)) === String(all.length) ? true : undefined), looked);
      const ids = await asked([
        'get',
        'pods',
        '-l',
        'app=pushed',
        '-o',
        'jsonpath={.items[*].status.containerStatuses[0].imageID}',
      ]);
      expect(ids.split(' ')).toEqual(all.map(() => `${server}/team/pause@${digest}`));
    });

    it('leave nothing behind', async () => {
      await next(nodes);
      await next(registry);
      expect([...nodes, ...registry]).toEqual([]);
      await expect.poll(() => deployed.lab.emulator.inventory(), ONCE_CLEANED_UP).toEqual(before);
      expect(await deployed.api.list('/vnflcm/v1/vnf_instances')).toEqual([]);
    });
  });

  describe('a registry without a volume', { timeout: within }, () => {
    it('loses its images by a heal, and says so before anything happens', async () => {
      const vnfdId = await withoutVolume();
      const { id } = await deployed.api.post<{ id: string }>('/vnflcm/v1/vnf_instances', {
        vnfdId,
        vnfInstanceName: 'volumeless',
      });
      const path = `/vnflcm/v1/vnf_instances/${id}`;
      const body = await readFile(join(home, 'samples/requests/instantiate-private-registry.json'), 'utf8');
      // The lab's image has another digest than Docker Hub's.
      const inLab = body.replace('"ssh_cp_name"', '"registry_image": "registry:2.8.3", "ssh_cp_name"');
      const request = JSON.parse(inLab.replaceAll('${NETWORK_ID}', deployed.lab.networkName)) as JsonObject;
      expect(await ended(await deployed.api.accept(`${path}/instantiate`, request))).toMatchObject({
        operationState: 'COMPLETED',
      });
      const { client, vnfc } = await registryNamed('volumeless');
      const pushed = await client.push('team/app', '1.0', Buffer.from('a layer'));
      const words = /the images in the registry \S+ lie on its VM and are lost: push them again/;
      expect(await shell.run(`./windlass vnf heal ${id} --vnfc ${vnfc.id} --plan`)).toMatch(words);
      expect(await client.digestOf('team/app', '1.0')).toBe(pushed);
      const operation = await deployed.api.accept(`${path}/heal`, { vnfcInstanceId: [vnfc.id] });
      expect((await warningsOf(operation)).join(), 'with the 202').toMatch(words);
      expect(await ended(operation)).toMatchObject({ operationState: 'COMPLETED' });
      expect(await (await registryNamed('volumeless')).client.digestOf('team/app', '1.0')).toBeUndefined();
      expect(await ended(await deployed.api.accept(`${path}/terminate`, { terminationType: 'FORCEFUL' }))).toMatchObject({
        operationState: 'COMPLETED',
      });
    });
  });
}

/** Onboards the sample without its volume. Returns the VNFD's id. */
async function withoutVolume(): Promise<string> {
  const folder = join(deployed.dataDir, 'without-volume');
  await cp(join(home, 'samples/private-registry'), folder, { recursive: true });
  const rewritten = async (name: string, change: (text: string) => string): Promise<void> => {
    const path = join(folder, 'Definitions', name);
    await writeFile(path, change(await readFile(path, 'utf8')));
  };
  await rewritten('private_registry_df_simple.yaml', (text) =>
    text
      .replace(/ {6}requirements:\n {8}- virtual_storage: PrivateRegistryData\n/, '')
      .replace(/ {4}PrivateRegistryData:\n( {6}.*\n)+/, ''),
  );
  for (const name of ['private_registry_types.yaml', 'private_registry_top.vnfd.yaml'])
    await rewritten(name, (text) =>
      text.replaceAll('6f1d0c1e-52a7-4a0c-9c53-5b0f7d2e4a51', '6f1d0c1e-52a7-4a0c-9c53-5b0f7d2e4a52'),
    );
  return String((await onboard(deployed.api, folder)).vnfdId);
}
