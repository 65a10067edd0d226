import { randomUUID } from 'node:crypto';
import { operationTag, undoTag, vnfTag } from '@windlass/lifecycle';
import { readInventory, waitForDeletion, waitForStack, type PortItem, type ServerItem } from '@windlass/openstack';
import { minutes, type JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Made, type ContractRun } from './contract-vim.js';
import { Actions } from './infra-actions.js';

/** One server with a port whose network and addresses are parameters, and a network to move it to. */
const template = `
heat_template_version: 2013-05-23
parameters:
  nfv: {type: json}
resources:
  VDU1:
    type: OS::Nova::Server
    properties: {flavor: m1.tiny, image: cirros, networks: [{port: {get_resource: VDU1_CP1}}]}
  VDU1_CP1:
    type: OS::Neutron::Port
    properties:
      network: {get_param: [nfv, CP, VDU1_CP1, network]}
      fixed_ips: {get_param: [nfv, CP, VDU1_CP1, fixed_ips]}
`;

const networkTemplate = `
heat_template_version: 2013-05-23
resources:
  other: {type: OS::Neutron::Net}
  other_subnet:
    type: OS::Neutron::Subnet
    properties: {network: {get_resource: other}, cidr: 192.168.78.0/24}
`;

/** Tests the ports and the running server of a stack whose connections change. The tests build on each other. */
export function reconnectContract(run: ContractRun): void {
  let actions: Actions;
  const stack = new Made();
  const network = new Made();
  let other: string;
  const vnfInstanceId = randomUUID();
  const update = (net: string, address: string | undefined, last: string) => ({
    template,
    files: {},
    parameters: {
      nfv: { CP: { VDU1_CP1: { network: net, fixed_ips: address === undefined ? [] : [{ ip_address: address }] } } },
    } as JsonObject,
    tags: ['windlass', run.tag, vnfTag(vnfInstanceId), last],
    timeoutMinutes: 10,
  });
  const standing = async (): Promise<{ server: ServerItem; port: PortItem }> => {
    const { servers, ports } = await readInventory(run.openStack, stack.ref);
    const [server, port] = [servers[0], ports[0]];
    if (server === undefined || port === undefined) throw new Error('the stack has no server, or no port');
    return { server, port };
  };
  const moves = (to: { net: string; address?: string }, back: { net: string; address?: string }): JsonObject =>
    ({
      vnfInstanceId,
      stack: { ...stack.ref },
      wanted: update(to.net, to.address, operationTag(actions.operationId)),
      earlier: update(back.net, back.address, undoTag(actions.operationId)),
    }) as unknown as JsonObject;

  beforeAll(() => {
    actions = new Actions(run);
  });
  afterAll(() => actions.close());

  describe('a stack that is connected otherwise', () => {
    it('has another port on the other network, plugged into the same server, which runs on', async () => {
      const { heat } = run.openStack;
      network.set(await heat.createStack({ name: run.name('other'), template: networkTemplate, tags: [run.tag] }));
      stack.set(await heat.createStack({ name: run.name('reconnected'), ...update('net0', undefined, 'first') }));
      await waitForStack(heat, network.ref, 'CREATE', run.wait);
      await waitForStack(heat, stack.ref, 'CREATE', run.wait);
      other = (await readInventory(run.openStack, network.ref)).networks[0]?.physicalId ?? '';
      const before = await standing();
      expect(before.port.fixedIps).toHaveLength(1);
      const input = moves({ net: other }, { net: 'net0' });
      await actions.do('reconnect-stack', input);
      const after = await standing();
      expect(after.port.fixedIps).toMatchObject([{ address: expect.stringMatching(/^192\.168\.78\./) as string }]);
      expect(after.server).toMatchObject({ physicalId: before.server.physicalId, serverStatus: 'ACTIVE' });
      expect(after.port.physicalId).not.toBe(before.port.physicalId);
      expect(after.port).toMatchObject({ networkId: other, serverId: before.server.physicalId });
      expect(await run.openStack.neutron.portsById([before.port.physicalId ?? ''])).toEqual([]);
      await expect(actions.isDone('reconnect-stack', input)).resolves.toBe(true);
    });

    it('is taken back to the network that it was on by the undo, and is not touched by it twice', async () => {
      const before = await standing();
      const input = moves({ net: other }, { net: 'net0' });
      await actions.undo('reconnect-stack', input);
      const after = await standing();
      expect(after.server).toMatchObject({ physicalId: before.server.physicalId, serverStatus: 'ACTIVE' });
      expect(after.port.networkId).not.toBe(other);
      await actions.undo('reconnect-stack', input);
      expect((await standing()).port.physicalId).toBe(after.port.physicalId);
    });

    it('is not touched by the undo of an operation that never came to its update', async () => {
      const seen = async () => ({
        port: (await standing()).port.physicalId,
        tags: (await run.openStack.heat.getStack(stack.ref))?.tags,
      });
      const before = await seen();
      actions.operationId = randomUUID();
      await actions.undo('reconnect-stack', moves({ net: other }, { net: 'net0' }));
      expect(await seen()).toEqual(before);
    });

    it('gives the port that is there another address on its network, and leaves it that where none is asked for any more', async () => {
      const to = { net: other, address: '192.168.78.77' };
      actions.operationId = randomUUID();
      await actions.do('reconnect-stack', moves({ net: other }, { net: 'net0' }));
      const before = await standing();
      actions.operationId = randomUUID();
      await actions.do('reconnect-stack', moves(to, { net: other }));
      const { server, port } = await standing();
      expect(port).toMatchObject({ physicalId: before.port.physicalId, fixedIps: [{ address: to.address }] });
      expect(server).toMatchObject({ physicalId: before.server.physicalId, serverStatus: 'ACTIVE' });
      actions.operationId = randomUUID();
      await actions.do('reconnect-stack', moves({ net: other }, to));
      expect((await standing()).port).toMatchObject({ physicalId: port.physicalId, fixedIps: [{ address: to.address }] });
    });

    it('is moved while its server is stopped, which stays so', async () => {
      const { server } = await standing();
      const power = { vnfInstanceId, stack: { ...stack.ref }, vnfcId: 'a', vduId: 'VDU1', serverId: server.physicalId ?? '' };
      await actions.do('power-server', { ...power, to: 'STOPPED', was: 'STARTED' });
      actions.operationId = randomUUID();
      await actions.do('reconnect-stack', moves({ net: 'net0' }, { net: other }));
      expect((await standing()).server).toMatchObject({ physicalId: server.physicalId, serverStatus: 'SHUTOFF' });
      await actions.do('power-server', { ...power, to: 'STARTED', was: 'STOPPED' });
    });

    it('is UPDATE_FAILED by a forceful cancel, and goes where it is asked to by a retry', async () => {
      actions.operationId = randomUUID();
      const input = moves({ net: other }, { net: 'net0' });
      run.hold(run.name('reconnected'), minutes(10));
      const lease = new AbortController();
      const onProgress = (line: string): void => {
        if (/ of \d+ resources$/.test(line)) lease.abort(new Error('cancelled'));
      };
      await expect(actions.do('reconnect-stack', input, { signal: lease.signal, onProgress })).rejects.toThrow();
      await expect(actions.stop('reconnect-stack', input)).resolves.toBe(true);
      expect(await run.openStack.heat.getStack(stack.ref)).toMatchObject({ status: 'UPDATE_FAILED' });
      await actions.do('reconnect-stack', input);
      expect((await standing()).port.networkId).toBe(other);
    });

    it('is refused by Heat, in words and before anything is touched, on a network that is not there', async () => {
      const before = await standing();
      actions.operationId = randomUUID();
      await expect(actions.do('reconnect-stack', moves({ net: randomUUID() }, { net: other }))).rejects.toMatchObject({
        code: 'heat.template-invalid',
      });
      expect((await standing()).port.physicalId).toBe(before.port.physicalId);
      await run.openStack.heat.deleteStack(stack.ref);
      await waitForDeletion(run.openStack.heat, stack.ref, run.wait);
      await run.openStack.heat.deleteStack(network.ref);
      await waitForDeletion(run.openStack.heat, network.ref, run.wait);
    });
  });
}
