import { minutes } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDeployed, type Deployed } from '../support/deployed.js';
import { TypedGuides } from '../support/typed-guides.js';
import { AnsibleServer } from './support/ansible-server.js';

let deployed: Deployed;
let person: TypedGuides;
let kubespray: string[][];
let balancer: string[][];

beforeAll(async () => {
  deployed = await startDeployed({}, { kubernetes: 'stand-in' });
  const ansible = await AnsibleServer.start(deployed.lab.fleet);
  person = await TypedGuides.start(deployed);
  kubespray = await person.lines('kubernetes-kubespray.md');
  balancer = await person.lines('external-load-balancer.md');
  // Addresses of documentation in the guide.
  person.fills['7d2c3f0a-1b5e-4c55-9a35-8a8d8b0c2f11'] = deployed.lab.networkName;
  person.fills['192.0.2.10'] = ansible.address;
});
afterAll(async () => {
  await person.close();
  await deployed.close();
});

const serversOf = async (vduId: string): Promise<string[]> =>
  (await person.vnfcs(vduId)).map(({ computeResource }) => computeResource.resourceId);

async function comeTo(count: number): Promise<void> {
  const [master = ''] = await serversOf('masterNode');
  await expect.poll(async () => (await person.readyNodes(master)).length, { timeout: 120_000, interval: 1_000 }).toBe(count);
}

describe(
  'docs/guides/kubernetes-kubespray.md and external-load-balancer.md, whose commands are typed as they stand',
  { timeout: minutes(20) },
  () => {
    it('packs, fills in the request, onboards, creates, instantiates, and gets in through the balancer', async () => {
      const [[pack, sed], [onboard, create]] = [balancer[0]!, balancer[1]!];
      expect(await person.type(pack)).not.toMatch(/error/i);
      await person.type(sed);
      await person.type(onboard);
      await person.create(create);
      const [, , instantiate, kubeconfig] = kubespray[0]!;
      await person.type(instantiate);
      await person.type(kubeconfig);
      await comeTo(3);
    });

    it('heals the balancer: the way in is as before', async () => {
      const [vm] = await person.vnfcs('externalLB');
      person.fills["<id of the balancer's VNFC>"] = vm!.id;
      await person.type(balancer[1]?.at(-1));
      expect(await serversOf('externalLB')).not.toContain(vm!.computeResource.resourceId);
      await comeTo(3);
    });

    it('scales out, and heals a worker', async () => {
      const [, , , , scale, heal] = kubespray[0]!;
      await person.type(scale);
      await comeTo(4);
      const [worker] = await person.vnfcs('workerNode');
      person.fills["<id of a worker's VNFC>"] = worker!.id;
      await person.type(heal);
      expect(await serversOf('workerNode')).not.toContain(worker!.computeResource.resourceId);
      await comeTo(4);
    });

    it('terminates; every line of both guides was typed', async () => {
      await person.type(kubespray[0]?.at(-1));
      const path = `/vnflcm/v1/vnf_instances/${person.fills['<id>'] ?? ''}`;
      expect(await deployed.api.get(path)).toMatchObject({ instantiationState: 'NOT_INSTANTIATED' });
      // The first guide makes an instance of another name by the same command.
      await person.create(kubespray[0]?.[1]);
      expect(person.untyped([...kubespray, ...balancer])).toEqual([]);
    });
  },
);
