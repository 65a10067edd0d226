import { minutes } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDeployed, type Deployed } from '../support/deployed.js';
import { TypedGuides } from '../support/typed-guides.js';

let deployed: Deployed;
let person: TypedGuides;
let lines: string[][];

beforeAll(async () => {
  deployed = await startDeployed();
  person = await TypedGuides.start(deployed);
  lines = await person.lines('kubernetes-ha.md');
  person.fills['<the network>'] = deployed.lab.networkName;
  // The guide goes on from where that of one master has onboarded and created.
  const [onboard, create] = (await person.lines('kubernetes-simple.md'))[0]!;
  await person.type(onboard);
  await person.create(create);
});
afterAll(async () => {
  await person.close();
  await deployed.close();
});

const masters = async (): Promise<string[]> =>
  (await person.vnfcs('masterNode')).map(({ computeResource }) => computeResource.resourceId);

async function comeTo(count: number): Promise<void> {
  const [master = ''] = await masters();
  await expect.poll(async () => (await person.readyNodes(master)).length, { timeout: 120_000, interval: 1_000 }).toBe(count);
}

describe('docs/guides/kubernetes-ha.md, whose commands are typed as they stand', { timeout: minutes(20) }, () => {
  it('instantiates three masters, and gets in at the virtual address', async () => {
    const [sed, instantiate, kubeconfig] = lines[0]!;
    await person.type(sed);
    await person.type(instantiate);
    await person.type(kubeconfig);
    expect(await masters()).toHaveLength(3);
    await comeTo(5);
  });

  it('shows how a master’s HAProxy sees the API servers', async () => {
    const [master = ''] = await masters();
    const addresses = (await masters()).map((id) => deployed.lab.fleet.addresses(id)[0]!);
    const said = await person.typeOn(master, lines[1]?.[0]);
    expect(addresses.filter((address) => said.includes(address))).toEqual(addresses);
    expect(addresses).toHaveLength(3);
  });

  it('scales the masters to five: the kubeconfig stays good', async () => {
    await person.type(lines[0]?.[3]);
    expect(await masters()).toHaveLength(5);
    await comeTo(7);
  });

  it('heals a master; every line of the guide was typed', async () => {
    const [master] = await person.vnfcs('masterNode');
    person.fills["<id of a master's VNFC>"] = master!.id;
    await person.type(lines[0]?.[4]);
    expect(await masters()).not.toContain(master!.computeResource.resourceId);
    await comeTo(7);
    expect(person.untyped(lines)).toEqual([]);
  });
});
