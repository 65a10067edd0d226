import type { JsonObject } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenStackEmulator } from './emulator.js';
import { at, pathOf, TestClient, text } from './testing/client.js';
import { vnfA } from './testing/recordings.js';
import { attachmentStack, groupStack, volumeStack } from './testing/templates.js';

describe('healing through Heat, as it was recorded of the real one', () => {
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

  const idOf = (resource: JsonObject | undefined): string => text(resource?.physical_resource_id);
  const inMember = (all: JsonObject[], member: unknown, name: string): JsonObject =>
    all.find((one) => one.parent_resource === member && one.resource_name === name)!;
  const vnf = async (name: string, desired: number): Promise<JsonObject> =>
    client.create(name, vnfA.template, { files: vnfA.files, parameters: vnfA.parameters(desired) });

  it('a marked server alone is replaced; its ports, addresses and the member stay', async () => {
    const stack = await vnf('server', 2);
    const before = await client.resources(stack);
    const victim = before.find((one) => one.resource_type === 'OS::Nova::Server' && one.parent_resource !== undefined)!;
    const member = before.find((one) => one.resource_name === victim.parent_resource)!;
    await client.mark(victim);
    const marked = (await client.resources(stack)).find((one) => one.physical_resource_id === victim.physical_resource_id);
    expect(marked).toMatchObject({ resource_status: 'CHECK_FAILED', resource_status_reason: 'heal' });
    await client.update(stack, { existing: true });
    const after = await client.resources(stack);
    expect(idOf(inMember(after, member.resource_name, 'VDU1'))).not.toBe(idOf(victim));
    for (const port of ['VDU1_CP1', 'VDU1_CP2']) {
      expect(idOf(inMember(after, member.resource_name, port))).toBe(idOf(inMember(before, member.resource_name, port)));
    }
    expect(idOf(after.find((one) => one.resource_name === member.resource_name))).toBe(idOf(member));
    const port = await client.neutron('GET', `/ports/${idOf(inMember(after, member.resource_name, 'VDU1_CP1'))}`);
    expect(at(at(port.body, 'port'), 'device_id')).toBe(idOf(inMember(after, member.resource_name, 'VDU1')));
    expect((await client.nova('GET', `/servers/${idOf(victim)}`)).status).toBe(404);
  });

  it('a marked member is replaced with all that is in it, and keeps its name', async () => {
    const stack = await vnf('member', 2);
    const before = await client.resources(stack);
    const victim = before.find((one) => one.resource_type === 'VDU1.yaml')!;
    await client.mark(victim);
    await client.update(stack, { existing: true });
    const after = await client.resources(stack);
    const replaced = after.find((one) => one.resource_name === victim.resource_name)!;
    expect(idOf(replaced)).not.toBe(idOf(victim));
    expect(replaced.resource_status).toBe('CREATE_COMPLETE');
    for (const name of ['VDU1', 'VDU1_CP1', 'VDU1_CP2']) {
      expect(idOf(inMember(after, victim.resource_name, name))).not.toBe(idOf(inMember(before, victim.resource_name, name)));
    }
    const others = after.filter((one) => one.resource_type === 'VDU1.yaml' && one.resource_name !== victim.resource_name);
    expect(before.map(idOf)).toEqual(expect.arrayContaining(others.map(idOf)));
    expect(emulator.inventory().find((one) => one.project === 'vnfm')?.servers).toHaveLength(3);
  });

  it('fails where an anti-affinity group is full, for the replacement is made before the old server goes', async () => {
    const requested = groupStack({ desired: 3, spread: true });
    const stack = await client.create('full', requested.template, requested);
    const before = await client.resources(stack);
    const victim = before.find((one) => one.resource_type === 'OS::Nova::Server')!;
    await client.mark(victim);
    const failed = await client.update(stack, { existing: true });
    const why =
      'ResourceInError: resources.vdu: Went to status ERROR due to "Message: No valid host was found. There are not enough hosts available., Code: 500"';
    expect(failed).toMatchObject({
      stack_status: 'UPDATE_FAILED',
      stack_status_reason: `Resource UPDATE failed: resources.${text(victim.parent_resource)}: resources.group.Resource CREATE failed: ${why}`,
    });
    const after = await client.resources(stack);
    expect(after.find((one) => one.resource_name === victim.parent_resource)).toMatchObject({
      resource_status: 'UPDATE_FAILED',
      resource_status_reason: `resources.${text(victim.parent_resource)}: Resource CREATE failed: ${why}`,
    });
    const replacement = inMember(after, victim.parent_resource, 'vdu');
    expect(replacement).toMatchObject({ resource_status: 'CREATE_FAILED', resource_status_reason: why });
    expect(idOf(replacement)).not.toBe(idOf(victim));
    expect((await client.nova('GET', `/servers/${idOf(victim)}`)).status).toBe(200);
    await client.remove(stack);
    expect(emulator.inventory().find((one) => one.project === 'vnfm')).toMatchObject({ servers: [], ports: [] });
  });

  it('of a full anti-affinity group works by shrinking past the marked member and growing again', async () => {
    const requested = groupStack({ desired: 3, spread: true });
    const stack = await client.create('around', requested.template, requested);
    const victim = (await client.resources(stack)).find((one) => one.resource_type === 'member.yaml')!;
    await client.mark(victim);
    await client.update(stack, { existing: true, parameters: { n: 2 } });
    expect((await client.update(stack, { existing: true, parameters: { n: 3 } })).stack_status).toBe('UPDATE_COMPLETE');
    const servers = emulator.inventory().find((one) => one.project === 'vnfm')!.servers;
    expect(servers.map((one) => one.status)).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE']);
  });

  it('fails for a server with Heat-made volumes marked alone, and works with its volumes marked too', async () => {
    const stack = await client.create('volumes', volumeStack);
    const before = await client.resources(stack);
    const one = (all: JsonObject[], name: string): JsonObject => all.find((resource) => resource.resource_name === name)!;
    await client.mark(one(before, 'vdu'));
    const failed = await client.update(stack, { existing: true });
    expect(failed.stack_status).toBe('UPDATE_FAILED');
    expect(failed.stack_status_reason).toMatch(
      /^Resource CREATE failed: BadRequest: resources\.vdu: Invalid volume: .* status must be available or downloading to reserve, but the current status is in-use/,
    );
    expect(one(await client.resources(stack), 'vdu')).toMatchObject({
      resource_status: 'CREATE_FAILED',
      physical_resource_id: '',
    });
    for (const name of ['boot', 'data']) await client.mark(one(before, name));
    expect((await client.update(stack, { existing: true })).stack_status).toBe('UPDATE_COMPLETE');
    const after = await client.resources(stack);
    for (const name of ['vdu', 'boot', 'data']) expect(idOf(one(after, name))).not.toBe(idOf(one(before, name)));
    expect(idOf(one(after, 'cp'))).toBe(idOf(one(before, 'cp')));
    const left = emulator.inventory().find((inventory) => inventory.project === 'vnfm')!;
    expect([left.servers.length, left.volumes.length]).toEqual([1, 2]);
  });

  it('of a server whose volume is attached by a resource of its own moves the volume to the new server', async () => {
    const stack = await client.create('attached', attachmentStack);
    const before = await client.resources(stack);
    const one = (all: JsonObject[], name: string): JsonObject => all.find((resource) => resource.resource_name === name)!;
    await client.mark(one(before, 'vdu'));
    expect((await client.update(stack, { existing: true })).stack_status).toBe('UPDATE_COMPLETE');
    const after = await client.resources(stack);
    expect(one(after, 'attached').resource_status).toBe('UPDATE_COMPLETE');
    expect(idOf(one(after, 'data'))).toBe(idOf(one(before, 'data')));
    const volume = await client.cinder('GET', `/volumes/${idOf(one(after, 'data'))}`);
    const attachments = at(at(volume.body, 'volume'), 'attachments');
    expect(Array.isArray(attachments) ? attachments.map((attachment) => at(attachment, 'server_id')) : []).toEqual([
      idOf(one(after, 'vdu')),
    ]);
  });

  it('an update that is cancelled leaves what it had not begun as it was, mark and all, and the next one ends it', async () => {
    const stack = await client.create('cancelled', attachmentStack);
    const before = await client.resources(stack);
    const vdu = before.find((one) => one.resource_name === 'vdu')!;
    await client.mark(vdu);
    emulator.faults.add({ kind: 'slow-stack', stackName: 'cancelled', delayMs: 60_000, times: 1 });
    const path = pathOf(stack);
    expect((await client.heat('PATCH', path, { existing: true })).status).toBe(202);
    expect((await client.heat('POST', `${path}/actions`, { cancel_without_rollback: null })).status).toBe(200);
    const shown = at((await client.heat('GET', path)).body, 'stack');
    expect(at(shown, 'stack_status')).toBe('UPDATE_FAILED');
    expect(at(shown, 'stack_status_reason')).toBe('Stack UPDATE cancelled');
    const left = (await client.resources(stack)).find((one) => one.resource_name === 'vdu')!;
    expect(left).toMatchObject({ resource_status: 'CHECK_FAILED', physical_resource_id: idOf(vdu) });
    expect((await client.heat('POST', `${path}/actions`, { cancel_without_rollback: null })).status).toBe(400);
    expect((await client.update(stack, { existing: true })).stack_status).toBe('UPDATE_COMPLETE');
    expect(idOf((await client.resources(stack)).find((one) => one.resource_name === 'vdu'))).not.toBe(idOf(vdu));
  });

  it('a mark can be taken back', async () => {
    const stack = await client.create('unmark', attachmentStack);
    const before = await client.resources(stack);
    const vdu = before.find((one) => one.resource_name === 'vdu')!;
    await client.mark(vdu);
    const path = `${pathOf(stack)}/resources/vdu`;
    expect((await client.heat('PATCH', path, { mark_unhealthy: false })).status).toBe(200);
    await client.update(stack, { existing: true });
    expect((await client.resources(stack)).map(idOf).sort()).toEqual(before.map(idOf).sort());
  });
});
