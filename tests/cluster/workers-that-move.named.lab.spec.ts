import { minutes, seconds, waitUntil } from '@windlass/foundation';
import { plainParams, reconnected } from '@windlass/k8s-mgmt/testing';
import type { Vnfc } from '@windlass/mgmt-driver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { labCluster } from './support/lab-cluster.js';

const KUBECTL = ['kubectl', '--kubeconfig=/etc/kubernetes/admin.conf'];
const CP = 'workerNode_CP2';
const START = 'change_external_connectivity_start';
const END = 'change_external_connectivity_end';

describe('workers of a cluster of lab VMs whose ports get other addresses while their kubelets run', () => {
  let lab: Awaited<ReturnType<typeof labCluster>>;
  const earlier: Record<string, string> = {};

  beforeAll(async () => {
    lab = await labCluster({ params: plainParams(), images: ['debian-12', 'debian-12', 'debian-12'] });
    await lab.runner.run();
  });
  afterAll(() => lab.end());

  async function inside({ resourceId }: Vnfc, ...argv: string[]): Promise<string> {
    const { status, stdout, stderr } = await lab.fleet.exec(resourceId, argv, { within: minutes(2) });
    if (status !== 0) throw new Error(`${argv.join(' ')} ended with status ${status ?? 'none'}: ${stderr}`);
    return stdout.trim();
  }
  const addressOf = ({ cps }: Vnfc): string => cps[0]?.addresses[0] ?? '';
  const kubectl = (...argv: string[]) => inside(lab.vnfcs[0]!, ...KUBECTL, ...argv);
  const nodes = async () => {
    const columns = 'jsonpath={range .items[*]}{.metadata.name} {.status.addresses[?(@.type=="InternalIP")].address}{"\\n"}{end}';
    return (await kubectl('get', 'nodes', '-o', columns)).split('\n').sort();
  };
  const onHostNetwork = async (name: string) => {
    const format = 'jsonpath={range .items[?(@.spec.hostNetwork==true)]}{.status.podIP}{"\\n"}{end}';
    return (await kubectl('get', 'pods', '-A', `--field-selector=spec.nodeName=${name}`, '-o', format)).split('\n');
  };
  const hosts = (node: Vnfc) => inside(node, 'sed', '-n', '/^# windlass: begin$/,/^# windlass: end$/p', '/etc/hosts');

  const run = async (hook: typeof START | typeof END): Promise<void> => {
    const operation = lab.operation(reconnected(hook, { vnfcs: lab.vnfcs, earlier, cps: [CP] }));
    try {
      await operation.runner.run();
    } finally {
      process.stderr.write(`${operation.lines.slice(-30).join('\n')}\n`);
    }
  };

  /** As Heat does with a port on another network: another card with another address, in the server that runs. */
  async function replugged(index: number, place: number): Promise<void> {
    const vnfc = lab.vnfcs[index]!;
    const address = addressOf(vnfc).replace(/\d+$/, String(place));
    earlier[vnfc.id] = addressOf(vnfc);
    const mac = `fa:16:3e:00:03:${place.toString(16).padStart(2, '0')}`;
    await lab.fleet.replug(vnfc.resourceId, [{ mac, address, prefixLength: 24, allowedAddresses: [] }]);
    await lab.fleet.ready(vnfc.resourceId);
    lab.vnfcs[index] = { ...vnfc, cps: vnfc.cps.map((cp) => ({ ...cp, addresses: [address] })) };
  }

  it('keep their names and pods, and every node knows the new addresses, also where one has had another worker’s', async () => {
    await run(START);
    // The second goes first: the first has its address by the end.
    const [first, second] = lab.vnfcs.slice(1).map((vnfc) => Number(addressOf(vnfc).split('.')[3]));
    await replugged(2, 77);
    await replugged(1, second!);
    expect(await nodes()).toContainEqual(expect.stringMatching(new RegExp(`^worker${first} .*\\.${first}$`)));
    await run(END);
    const network = addressOf(lab.vnfcs[0]!).replace(/\d+$/, '');
    const wanted = [`master10 ${network}10`, `worker${first} ${network}${second}`, `worker${second} ${network}77`];
    expect(await nodes()).toEqual(wanted);
    for (const node of lab.vnfcs) {
      const lines = (await hosts(node)).split('\n').filter((line) => !line.startsWith('#'));
      expect(lines.map((line) => line.split(' ').reverse().join(' ')).sort()).toEqual(wanted);
    }
    for (const [name, address] of wanted.map((line) => line.split(' ') as [string, string]))
      await waitUntil(
        async (seen) => {
          const found = await onHostNetwork(name);
          seen(found.join(', '));
          return found.length > 0 && found.every((each) => each === address) ? true : undefined;
        },
        { for: `pods on ${name}'s network to have ${address}`, within: seconds(60), every: seconds(0.5) },
      );
  });
});
