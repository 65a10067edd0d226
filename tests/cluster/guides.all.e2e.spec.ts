import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { minutes, type JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDeployed, type Deployed } from '../support/deployed.js';
import type { ShownVnfc } from '../support/shown-vnfc.js';
import { TypedGuides } from '../support/typed-guides.js';

/** kubectl where it is sure to be, on the master, by the file that a person has. */
const KUBECTL = `kubectl() { ssh ubuntu@$MASTER 'umask 077; cat > taken; kubectl --kubeconfig=taken' "\${@:3}" < "$2"; }`;

let deployed: Deployed;
let person: TypedGuides;
let simple: string[][];
let later: string[][];

beforeAll(async () => {
  deployed = await startDeployed();
  person = await TypedGuides.start(deployed);
  simple = await person.lines('kubernetes-simple.md');
  later = (await person.lines('kubernetes-scale-and-heal.md')).filter(([line = '']) => line.startsWith('./windlass'));
  person.fills['<the network>'] = deployed.lab.networkName;
});
afterAll(async () => {
  await person.close();
  await deployed.close();
});

/** The parameters' file that a line names, with the content that its comment has. */
async function writesParams(line = '', password = 'ubuntu'): Promise<void> {
  const [, file = ''] = / --params (\S+)/.exec(line) ?? [];
  const [, content = ''] = /#\s+(\{.*?\})/.exec(line) ?? [];
  await writeFile(join(person.folder, file), JSON.stringify(JSON.parse(content.replace('...', password))));
}

const serversOf = async (vduId: string): Promise<string[]> =>
  (await person.vnfcs(vduId)).map(({ computeResource }) => computeResource.resourceId);
const addressOf = ({ computeResource }: ShownVnfc): string =>
  deployed.lab.fleet.addresses(computeResource.resourceId)[0] ?? 'nowhere';

/** The person asks the master that there is now, whose host key may be another one. */
async function looksAtMaster(): Promise<void> {
  const [master] = await person.vnfcs('masterNode');
  await person.shell.run(`MASTER=${addressOf(master!)}; ssh-keygen -R $MASTER > /dev/null 2>&1 || true; ${KUBECTL}`);
}

/** Nodes that are Ready. */
const ready = async (): Promise<string[]> =>
  (await person.shell.run('kubectl --kubeconfig kubeconfig get nodes --no-headers || true\n'))
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
      await person.type(onboard);
      await person.create(create);
      await person.type(sed);
      expect(await person.type(plan)).toMatch(/init-control-plane/);
      const [byKey] = simple[1]!;
      await person.type(byKey);
      const body = JSON.parse(await readFile(join(person.folder, 'by-key.json'), 'utf8')) as { additionalParams: JsonObject };
      const { master_node: master, worker_node: worker } = body.additionalParams.k8s_cluster_installation_param as Record<
        string,
        JsonObject
      >;
      for (const group of [master, worker]) {
        expect(group?.password).toBeUndefined();
        expect(group?.private_key).toMatch(/^-----BEGIN OPENSSH PRIVATE KEY-----/);
      }
      expect(await person.shell.run(`./windlass vnf instantiate ${person.fills['<id>']} by-key.json --plan\n`)).toMatch(
        /init-control-plane/,
      );
    });

    it('instantiates, and gets in', async () => {
      const [, , , , instantiate, kubeconfig, kubectl] = simple[0]!;
      await person.type(instantiate);
      await person.type(kubeconfig);
      await looksAtMaster();
      expect(await person.type(kubectl)).toMatch(/master\d+ +Ready/);
      await comeTo(3);
    });

    it('scales out and in, the worker that is named', async () => {
      const [out, leaves] = later[0]!;
      await person.type(out);
      await comeTo(4);
      const [first] = await person.vnfcs('workerNode');
      await writesParams(leaves);
      person.fills['10.10.0.24'] = addressOf(first!);
      await person.type(leaves);
      expect((await person.vnfcs('workerNode')).map(({ id }) => id)).not.toContain(first!.id);
      await comeTo(3);
    });

    it('heals a worker, and one with a login for this operation', async () => {
      const [, , heal, withLogin] = later[0]!;
      for (const line of [heal, withLogin]) {
        const [worker] = await person.vnfcs('workerNode');
        person.fills["<id of a worker's VNFC>"] = worker!.id;
        if (line === withLogin) await writesParams(line);
        await person.type(line);
        expect(await serversOf('workerNode')).not.toContain(worker!.computeResource.resourceId);
      }
      await comeTo(3);
    });

    it('goes back to a snapshot of the only master', async () => {
      const [list, back] = later[1]!;
      const [line = ''] = (await person.type(list)).split('\n');
      const [snapshot = ''] = line.split(' ');
      const [master] = await person.vnfcs('masterNode');
      person.fills['<id of the master>'] = master!.id;
      person.fills['--snapshot <id>'] = `--snapshot ${snapshot}`;
      await person.type(back);
      expect(await serversOf('masterNode')).not.toContain(master!.computeResource.resourceId);
      await looksAtMaster();
      await comeTo(3);
    });

    it('heals the whole, and gets in anew', async () => {
      const [, , , , whole, kubeconfig] = later[0]!;
      await person.type(whole);
      await person.type(kubeconfig);
      await looksAtMaster();
      await comeTo(3);
    });

    it('terminates and deletes; every line of the guides was typed', async () => {
      const [, , , , , , , terminate, remove] = simple[0]!;
      await person.type(terminate);
      await person.type(remove);
      expect(await deployed.api.list('/vnflcm/v1/vnf_instances')).toEqual([]);
      expect(person.untyped([...simple, ...later])).toEqual([]);
    });
  },
);
