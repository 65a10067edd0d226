import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { minutes, type JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { home, startDeployed, type Deployed } from '../support/deployed.js';
import { commandsOf, GuideShell } from '../support/guide-shell.js';

/** kubectl where it is sure to be, on the master, by the file that a person has. */
const KUBECTL = `kubectl() { ssh ubuntu@$MASTER 'umask 077; cat > taken; kubectl --kubeconfig=taken' "\${@:3}" < "$2"; }`;

interface ShownVnfc {
  id: string;
  vduId: string;
  computeResource: { resourceId: string };
}

let deployed: Deployed;
let shell: GuideShell;
/** The folder that the person is in. */
let folder: string;
let simple: string[][];
let later: string[][];
/** Lines of both guides that were typed. */
const typed: string[] = [];
/** What stands for what in the guides. */
const fills: Record<string, string> = {};

beforeAll(async () => {
  deployed = await startDeployed();
  shell = await GuideShell.start(deployed);
  folder = await mkdtemp(join(tmpdir(), 'windlass-person-'));
  for (const name of ['windlass', 'samples']) await symlink(join(home, name), join(folder, name));
  await shell.run(`cd ${folder}; mkdir -p ~/.ssh; /usr/bin/ssh-keygen -q -t ed25519 -N '' -f ~/.ssh/id_ed25519`);
  simple = await linesOf('kubernetes-simple.md');
  later = (await linesOf('kubernetes-scale-and-heal.md')).filter(([line = '']) => line.startsWith('./windlass'));
  fills['<the network>'] = deployed.lab.networkName;
});
afterAll(async () => {
  await shell.close();
  await rm(folder, { recursive: true });
  await deployed.close();
});

/** Commands of a guide, block by block; one that goes on in the next line is one. */
const linesOf = async (guide: string): Promise<string[][]> =>
  (await commandsOf(guide)).map((block) => block.split(/(?<!\|=)\n/).filter((line) => line !== ''));

/** Types a line of a guide, with what stands in the place of its placeholders. */
async function types(line: string | undefined): Promise<string> {
  if (line === undefined) throw new Error('the guide has fewer lines than are typed here');
  typed.push(line);
  const [command = ''] = line.split(/\s+#\s/);
  const whole = Object.entries(fills).reduce((text, [placeholder, value]) => text.replaceAll(placeholder, value), command);
  if (/<[a-z][^<>]*>/.test(whole)) throw new Error(`nobody says what this stands for: ${whole}`);
  return shell.run(`${whole}\n`, minutes(12));
}

/** The parameters' file that a line names, with the content that its comment has. */
async function writesParams(line = '', password = 'ubuntu'): Promise<void> {
  const [, file = ''] = / --params (\S+)/.exec(line) ?? [];
  const [, content = ''] = /#\s+(\{.*?\})/.exec(line) ?? [];
  await writeFile(join(folder, file), JSON.stringify(JSON.parse(content.replace('...', password))));
}

const instance = () => `/vnflcm/v1/vnf_instances/${fills['<id>'] ?? ''}`;

async function vnfcs(vduId: string): Promise<ShownVnfc[]> {
  const { instantiatedVnfInfo } = await deployed.api.get<{ instantiatedVnfInfo: { vnfcResourceInfo: ShownVnfc[] } }>(instance());
  return instantiatedVnfInfo.vnfcResourceInfo.filter((vnfc) => vnfc.vduId === vduId);
}

const serversOf = async (vduId: string): Promise<string[]> =>
  (await vnfcs(vduId)).map(({ computeResource }) => computeResource.resourceId);
const addressOf = ({ computeResource }: ShownVnfc): string =>
  deployed.lab.fleet.addresses(computeResource.resourceId)[0] ?? 'nowhere';

/** The person asks the master that there is now, whose host key may be another one. */
async function looksAtMaster(): Promise<void> {
  const [master] = await vnfcs('masterNode');
  await shell.run(`MASTER=${addressOf(master!)}; ssh-keygen -R $MASTER > /dev/null 2>&1 || true; ${KUBECTL}`);
}

/** Nodes that are Ready. */
const ready = async (): Promise<string[]> =>
  (await shell.run('kubectl --kubeconfig kubeconfig get nodes --no-headers || true\n'))
    .split('\n')
    .filter((line) => /\sReady\s/.test(line));

/** As many nodes are Ready, at the latest when a pause of this machine is over. */
const comeTo = (count: number): Promise<void> =>
  expect.poll(async () => (await ready()).length, { timeout: 120_000, interval: 1_000 }).toBe(count);

describe(
  'docs/guides/kubernetes-simple.md and kubernetes-scale-and-heal.md, whose commands are typed as they stand',
  { timeout: minutes(15) },
  () => {
    it('onboards and creates; bodies with passwords and with a key are taken', async () => {
      const [onboard, create, sed, plan] = simple[0]!;
      await types(onboard);
      const made = /"id": ?"([^"]+)"/.exec(await types(create));
      fills['<id>'] = made?.[1] ?? '';
      await types(sed);
      expect(await types(plan)).toMatch(/init-control-plane/);
      const [byKey] = simple[1]!;
      await types(byKey);
      const body = JSON.parse(await readFile(join(folder, 'by-key.json'), 'utf8')) as { additionalParams: JsonObject };
      const { master_node: master, worker_node: worker } = body.additionalParams.k8s_cluster_installation_param as Record<
        string,
        JsonObject
      >;
      for (const group of [master, worker]) {
        expect(group?.password).toBeUndefined();
        expect(group?.private_key).toMatch(/^-----BEGIN OPENSSH PRIVATE KEY-----/);
      }
      expect(await shell.run(`./windlass vnf instantiate ${fills['<id>']} by-key.json --plan\n`)).toMatch(/init-control-plane/);
    });

    it('instantiates, and gets in', async () => {
      const [, , , , instantiate, kubeconfig, kubectl] = simple[0]!;
      await types(instantiate);
      await types(kubeconfig);
      await looksAtMaster();
      expect(await types(kubectl)).toMatch(/master\d+ +Ready/);
      await comeTo(3);
    });

    it('scales out and in, the worker that is named', async () => {
      const [out, leaves] = later[0]!;
      await types(out);
      await comeTo(4);
      const [first] = await vnfcs('workerNode');
      await writesParams(leaves);
      fills['10.10.0.24'] = addressOf(first!);
      await types(leaves);
      expect((await vnfcs('workerNode')).map(({ id }) => id)).not.toContain(first!.id);
      await comeTo(3);
    });

    it('heals a worker, and one with a login for this operation', async () => {
      const [, , heal, withLogin] = later[0]!;
      for (const line of [heal, withLogin]) {
        const [worker] = await vnfcs('workerNode');
        fills["<id of a worker's VNFC>"] = worker!.id;
        if (line === withLogin) await writesParams(line);
        await types(line);
        expect(await serversOf('workerNode')).not.toContain(worker!.computeResource.resourceId);
      }
      await comeTo(3);
    });

    it('goes back to a snapshot of the only master', async () => {
      const [list, back] = later[1]!;
      const [line = ''] = (await types(list)).split('\n');
      const [snapshot = ''] = line.split(' ');
      const [master] = await vnfcs('masterNode');
      fills['<id of the master>'] = master!.id;
      await types(back?.replace('--snapshot <id>', `--snapshot ${snapshot}`));
      expect(await serversOf('masterNode')).not.toContain(master!.computeResource.resourceId);
      await looksAtMaster();
      await comeTo(3);
    });

    it('heals the whole, and gets in anew', async () => {
      const [, , , , whole, kubeconfig] = later[0]!;
      await types(whole);
      await types(kubeconfig);
      await looksAtMaster();
      await comeTo(3);
    });

    it('terminates and deletes; every line of the guides was typed', async () => {
      const [, , , , , , , terminate, remove] = simple[0]!;
      await types(terminate);
      await types(remove);
      expect(await deployed.api.list('/vnflcm/v1/vnf_instances')).toEqual([]);
      const untyped = [...simple, ...later]
        .flat()
        .filter((line) => !typed.some((each) => each.startsWith(line.split('--snapshot <id>')[0]!)));
      expect(untyped).toEqual([]);
    });
  },
);
