import type { JsonObject } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenStackEmulator } from './emulator.js';
import { at, pathOf, TestClient, text } from './testing/client.js';
import { badPort, groupStack, templateOf } from './testing/templates.js';

describe('an update of a stack', () => {
  let emulator: OpenStackEmulator;
  let client: TestClient;
  beforeEach(async () => {
    emulator = await OpenStackEmulator.start();
    client = await TestClient.login(emulator);
  });
  afterEach(async () => {
    expect(emulator.brokenness).toEqual([]);
    await emulator.stop();
  });

  const members = async (stack: JsonObject): Promise<JsonObject[]> =>
    (await client.resources(stack)).filter((one) => one.resource_type === 'member.yaml');
  const idOf = (resource: JsonObject | undefined): string => text(resource?.physical_resource_id);
  const resize = (stack: JsonObject, n: number): Promise<JsonObject> =>
    client.update(stack, { existing: true, parameters: { n } });

  it('that grows a group keeps every id, and shows the old members as UPDATE_COMPLETE', async () => {
    const stack = await client.create('grow', groupStack({ desired: 2 }).template, groupStack({ desired: 2 }));
    const before = await client.resources(stack);
    await resize(stack, 4);
    const after = await client.resources(stack);
    for (const one of before) {
      const same = after.find((other) => other.physical_resource_id === one.physical_resource_id);
      expect(same?.resource_name).toBe(one.resource_name);
    }
    expect(after.filter((one) => one.resource_type === 'OS::Nova::Server')).toHaveLength(4);
    const states = (await members(stack)).map((one) => one.resource_status).sort();
    expect(states).toEqual(['CREATE_COMPLETE', 'CREATE_COMPLETE', 'UPDATE_COMPLETE', 'UPDATE_COMPLETE']);
  });

  it('is repeatable: the same size twice changes nothing', async () => {
    const stack = await client.create('same', groupStack({ desired: 2 }).template, groupStack({ desired: 2 }));
    const before = (await client.resources(stack)).map(idOf).sort();
    await resize(stack, 2);
    expect((await client.resources(stack)).map(idOf).sort()).toEqual(before);
  });

  it('that shrinks a group takes the member first that was marked, wherever it stands', async () => {
    const stack = await client.create('shrink', groupStack({ desired: 3 }).template, groupStack({ desired: 3 }));
    const marked = (await members(stack)).sort((one, other) =>
      text(one.resource_name).localeCompare(text(other.resource_name)),
    )[1]!;
    await client.mark(marked);
    await resize(stack, 2);
    const names = (await members(stack)).map((one) => one.resource_name);
    expect(names).toHaveLength(2);
    expect(names).not.toContain(marked.resource_name);
  });

  it('that shrinks a group without marks takes the first by age and name', async () => {
    const stack = await client.create('oldest', groupStack({ desired: 3 }).template, groupStack({ desired: 3 }));
    const order = (await members(stack)).sort((one, other) =>
      `${text(one.creation_time)}${text(one.resource_name)}`.localeCompare(
        `${text(other.creation_time)}${text(other.resource_name)}`,
      ),
    );
    await resize(stack, 2);
    expect((await members(stack)).map((one) => one.resource_name).sort()).toEqual(
      order
        .slice(1)
        .map((one) => one.resource_name)
        .sort(),
    );
  });

  it('can empty a group and fill it again', async () => {
    const stack = await client.create('zero', groupStack({ desired: 1 }).template, groupStack({ desired: 1 }));
    await client.heat('POST', `${pathOf(stack)}/resources/in/signal`);
    await client.settledGroup(stack, 'group', 0);
    expect(emulator.inventory().find((one) => one.project === 'vnfm')?.servers).toEqual([]);
    await resize(stack, 2);
    expect(await members(stack)).toHaveLength(2);
  });

  it('that changes what the members are changes them in place where that can be, one after the other', async () => {
    const stack = await client.create('flavor', groupStack({ desired: 2 }).template, groupStack({ desired: 2 }));
    const servers = async (): Promise<JsonObject[]> =>
      (await client.resources(stack)).filter((one) => one.resource_type === 'OS::Nova::Server');
    const before = (await servers()).map(idOf).sort();
    await client.update(stack, { existing: true, parameters: { flavor: 'm1.small' } });
    expect((await servers()).map(idOf).sort()).toEqual(before);
    const shown = await client.nova('GET', `/servers/${before[0]}`, undefined, { 'X-OpenStack-Nova-API-Version': '2.93' });
    expect(at(at(at(shown.body, 'server'), 'flavor'), 'original_name')).toBe('m1.small');
  });

  it('drops unknown parameters on PATCH and refuses them on PUT', async () => {
    const stack = await client.create('unknown', groupStack({ desired: 1 }).template, groupStack({ desired: 1 }));
    expect((await client.heat('PATCH', pathOf(stack), { existing: true, parameters: { zz: 1 } })).status).toBe(202);
    await client.settled('unknown');
    expect((await client.heat('PUT', pathOf(stack), { ...groupStack({ desired: 1 }), parameters: { n: 1, zz: 1 } })).status).toBe(
      400,
    );
  });

  it('that changes a port to another network replaces the port and keeps the server', async () => {
    const template = (net: string): string =>
      templateOf(`  cp: {type: OS::Neutron::Port, properties: {network: ${net}}}
  vdu: {type: OS::Nova::Server, properties: {flavor: m1.tiny, image: cirros, networks: [{port: {get_resource: cp}}]}}\n`);
    const stack = await client.create('move', template('net0'));
    const before = await client.resources(stack);
    await client.heat('PUT', pathOf(stack), { template: template('net1') });
    await client.settled('move');
    const after = await client.resources(stack);
    const [portBefore, portAfter] = [before, after].map((all) => idOf(all.find((one) => one.resource_name === 'cp')));
    const [serverBefore, serverAfter] = [before, after].map((all) => idOf(all.find((one) => one.resource_name === 'vdu')));
    expect(portAfter).not.toBe(portBefore);
    expect(serverAfter).toBe(serverBefore);
    const server = await client.nova('GET', `/servers/${serverAfter}`);
    expect(Object.keys(at(at(server.body, 'server'), 'addresses') as JsonObject)).toEqual(['net1']);
    expect((await client.neutron('GET', `/ports/${portBefore}`)).status).toBe(404);
  });

  it('that removes a resource from the template removes it, and what needed it first', async () => {
    const both = templateOf(`  net: {type: OS::Neutron::Net}
  sub: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 10.77.0.0/24}}
  keep: {type: OS::Heat::None}\n`);
    const stack = await client.create('less', both);
    await client.heat('PUT', pathOf(stack), { template: templateOf('  keep: {type: OS::Heat::None}\n') });
    expect((await client.settled('less')).stack_status).toBe('UPDATE_COMPLETE');
    expect((await client.resources(stack)).map((one) => one.resource_name)).toEqual(['keep']);
    expect(emulator.inventory().find((one) => one.project === 'vnfm')).toMatchObject({ networks: [], subnets: [] });
  });

  it('is refused while the stack is being deleted, and accepted while another update runs', async () => {
    emulator.faults.add({ kind: 'slow-stack', delayMs: 60, stackName: '^busy$', times: 3 });
    const stack = await client.create('busy', groupStack({ desired: 1 }).template, groupStack({ desired: 1 }));
    expect((await client.heat('PATCH', pathOf(stack), { existing: true, parameters: { n: 2 } })).status).toBe(202);
    expect((await client.heat('PATCH', pathOf(stack), { existing: true, parameters: { n: 3 } })).status).toBe(202);
    await client.settled('busy');
    expect(await members(stack)).toHaveLength(3);
    emulator.faults.add({ kind: 'slow-stack', delayMs: 60, stackName: '^busy$', times: 1 });
    await client.heat('DELETE', pathOf(stack));
    const late = await client.heat('PATCH', pathOf(stack), { existing: true });
    expect([late.status, at(at(late.body, 'error'), 'message')]).toEqual([
      400,
      'Updating a stack when it is deleting is not supported.',
    ]);
    await client.gone('busy');
  });
});

describe('a stack that fails', () => {
  let emulator: OpenStackEmulator;
  let client: TestClient;
  beforeEach(async () => {
    emulator = await OpenStackEmulator.start();
    client = await TestClient.login(emulator);
  });
  afterEach(() => emulator.stop());

  const failing = templateOf(
    `  good: {type: OS::Neutron::Port, properties: {network: net0}}\n  bad: ${badPort}\n  never: {type: OS::Heat::None, depends_on: bad}\n`,
  );

  it('says which resource and why, leaves what needed it untouched, and makes the rest', async () => {
    const stack = await client.create('fails', failing);
    expect(stack.stack_status).toBe('CREATE_FAILED');
    expect(stack.stack_status_reason).toMatch(
      /^Resource CREATE failed: InvalidIpForNetworkClient: resources\.bad: IP address 1\.2\.3\.4 is not a valid IP/,
    );
    const states = Object.fromEntries(
      (await client.resources(stack)).map((one) => [text(one.resource_name), one.resource_status]),
    );
    expect(states).toEqual({ good: 'CREATE_COMPLETE', bad: 'CREATE_FAILED', never: 'INIT_COMPLETE' });
  });

  it('can be updated to a template that works, which replaces what failed', async () => {
    const stack = await client.create('mended', failing);
    const good = (await client.resources(stack)).find((one) => one.resource_name === 'good')!;
    await client.heat('PUT', pathOf(stack), { template: failing.replace('1.2.3.4', '10.10.0.77') });
    expect((await client.settled('mended')).stack_status).toBe('UPDATE_COMPLETE');
    const after = await client.resources(stack);
    expect(after.find((one) => one.resource_name === 'good')?.physical_resource_id).toBe(good.physical_resource_id);
    await client.remove(stack);
    expect(emulator.inventory().find((one) => one.project === 'vnfm')?.ports).toEqual([]);
  });

  it('because of a flavor that only a nested template names says so as real Heat does, and makes nothing of it', async () => {
    const requested = groupStack({ desired: 1, flavor: 'nope' });
    const stack = await client.create('nested', requested.template, requested);
    const member = (await client.resources(stack)).find((one) => one.resource_type === 'member.yaml')!;
    const why =
      "Property error: resources.vdu.properties.flavor: Error validating value 'nope': No Flavor matching {'name': 'nope'}. (HTTP 404)";
    expect(stack.stack_status_reason).toBe(
      `Resource CREATE failed: resources.${text(member.resource_name)}: resources.group.${why}`,
    );
    expect(member).toMatchObject({
      physical_resource_id: '',
      resource_status: 'CREATE_FAILED',
      resource_status_reason: `resources.${text(member.resource_name)}: ${why}`,
    });
    expect(emulator.inventory().find((one) => one.project === 'vnfm')?.ports).toEqual([]);
    const mended = await client.update(stack, { existing: true, parameters: { flavor: 'm1.small' } });
    expect(mended.stack_status).toBe('UPDATE_COMPLETE');
    await client.remove(stack);
    expect(emulator.inventory().find((one) => one.project === 'vnfm')).toMatchObject({ stacks: [], ports: [], servers: [] });
  });

  it('for a server that Nova refuses leaves no port that Nova had made for it', async () => {
    const vdu = (nics: string): string =>
      `{type: OS::Nova::Server, properties: {flavor: m1.tiny, image: cirros, networks: ${nics}}}`;
    const stack = await client.create(
      'taken',
      templateOf(`  cp: {type: OS::Neutron::Port, properties: {network: net0}}
  one: ${vdu('[{port: {get_resource: cp}}]')}
  two:
    type: OS::Nova::Server
    depends_on: one
    properties: {flavor: m1.tiny, image: cirros, networks: [{network: net1}, {port: {get_resource: cp}}]}\n`),
    );
    expect(stack.stack_status_reason).toMatch(
      /^Resource CREATE failed: Conflict: resources\.two: Port [0-9a-f-]{36} is still in use\. \(HTTP 409\)/,
    );
    expect(emulator.inventory().find((one) => one.project === 'vnfm')?.ports).toHaveLength(1);
  });

  it('is rolled back where that was asked for, and leaves nothing', async () => {
    const stack = await client.create('back', failing, { disable_rollback: false });
    await client.reached('back', 'ROLLBACK_COMPLETE');
    expect(emulator.inventory().find((one) => one.project === 'vnfm')?.ports).toEqual([]);
    await client.remove(stack);
  });

  it('is rolled back to what it was after a failed update', async () => {
    const works = templateOf('  good: {type: OS::Neutron::Port, properties: {network: net0}}\n');
    const stack = await client.create('undo', works, { disable_rollback: false });
    const before = await client.resources(stack);
    await client.heat('PUT', pathOf(stack), { template: failing });
    await client.reached('undo', 'ROLLBACK_COMPLETE');
    const after = await client.resources(stack);
    expect(after.map((one) => one.physical_resource_id)).toEqual(before.map((one) => one.physical_resource_id));
  });

  it('is deleted where the subnet is at the top and the ports that use it are nested', async () => {
    const nested = `heat_template_version: 2018-08-31
parameters: {net: {type: string}}
resources:
  cp: {type: OS::Neutron::Port, properties: {network: {get_param: net}}}\n`;
    const stack = await client.create(
      'usual',
      templateOf(`  net: {type: OS::Neutron::Net}
  sub: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 10.78.0.0/24}}
  members:
    type: OS::Heat::ResourceGroup
    depends_on: sub
    properties: {count: 2, resource_def: {type: member.yaml, properties: {net: {get_resource: net}}}}
  late: {type: member.yaml, properties: {net: {get_resource: net}}}\n`),
      { files: { 'member.yaml': nested } },
    );
    await client.remove(stack);
    const left = emulator.inventory().find((one) => one.project === 'vnfm');
    expect(left?.ports).toEqual([]);
  });

  it('fails to be deleted while a stranger uses its network, and is deleted when that is gone', async () => {
    const stack = await client.create(
      'stuck',
      templateOf(`  net: {type: OS::Neutron::Net}
  sub: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 10.77.0.0/24}}\n`),
    );
    const net = text((await client.resources(stack)).find((one) => one.resource_name === 'net')?.physical_resource_id);
    const port = text(at(at((await client.neutron('POST', '/ports', { port: { network_id: net } })).body, 'port'), 'id'));
    await client.heat('DELETE', pathOf(stack));
    const failed = await client.reached('stuck', 'DELETE_FAILED');
    expect(failed.stack_status_reason).toMatch(
      /^Resource DELETE failed: Conflict: resources\.sub: Unable to complete operation on subnet/,
    );
    await client.neutron('DELETE', `/ports/${port}`);
    await client.remove(stack);
  });
});
