import { millis, Secret } from '@windlass/foundation';
import { OpenStackEmulator } from '@windlass/lab';
import { OpenStack } from '@windlass/openstack';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BareClient, specOf } from './bare-client.js';
import { deleteLeftovers } from './left-behind.js';

const TEMPLATE = 'heat_template_version: 2013-05-23\nresources: {nothing: {type: OS::Heat::None}}\n';

describe('a client that has nothing but Heat', () => {
  let emulator: OpenStackEmulator;
  let openStack: OpenStack;
  let stop: AbortController;
  let left: Set<string>;
  let client: BareClient;
  beforeAll(async () => {
    emulator = await OpenStackEmulator.start();
    const { user, password, project } = emulator.tenant;
    const credentials = { kind: 'password', username: user, password: new Secret(password), project } as const;
    openStack = OpenStack.open({ authUrl: emulator.url, credentials });
  });
  beforeEach(() => {
    stop = new AbortController();
    left = new Set();
    client = new BareClient(openStack.heat, stop.signal, left);
  });
  afterAll(async () => {
    openStack.close();
    await emulator.stop();
  });

  const stacks = async (): Promise<string[]> => (await openStack.heat.listStacks()).map(({ name }) => name);

  it('asks for all at once, and looks at all by one listing until they are complete, and gone', async () => {
    emulator.faults.add({ kind: 'slow-stack', delayMs: 300, times: 'always' });
    const before = emulator.requests.length;
    const made = await client.make(specOf({ template: TEMPLATE }), ['one', 'two', 'three']);
    expect((await stacks()).sort()).toEqual(['one', 'three', 'two']);
    expect(made.every(({ sentAt, seenAt }) => seenAt - sentAt >= 300)).toBe(true);
    const removed = await client.remove(made.map(({ ref }) => ref));
    expect(removed.map(({ ref }) => ref.name)).toEqual(['one', 'two', 'three']);
    expect(await stacks()).toEqual([]);
    expect([...left]).toEqual([]);
    const sent = emulator.requests.slice(before);
    const looks = sent.filter(({ method, path }) => method === 'GET' && path.includes('id='));
    expect(Math.max(...looks.map(({ path }) => [...path.matchAll(/\bid=/g)].length))).toBe(3);
    expect(looks.length).toBeGreaterThan(1);
    expect(looks.length).toBeLessThan(15);
    emulator.faults.clear();
  });

  it('says what Heat says of a stack that fails, and leaves it for the clean-up', async () => {
    emulator.faults.add({ kind: 'fail-resource', resource: 'nothing', reason: 'no room', times: 1 });
    await expect(client.make(specOf({ template: TEMPLATE }), ['broken'])).rejects.toMatchObject({
      code: 'bench.bare',
      message: expect.stringContaining('CREATE_FAILED') as string,
    });
    expect([...left]).toEqual(['broken']);
    await deleteLeftovers(openStack, { instances: [], stacks: left }, millis(0));
    expect(await stacks()).toEqual([]);
  });

  it('is stopped in the middle, and what it asked for is deleted', async () => {
    emulator.faults.add({ kind: 'slow-stack', delayMs: 5_000, times: 'always' });
    const making = client.make(specOf({ template: TEMPLATE }), ['cut', 'short']);
    setTimeout(() => stop.abort(new Error('stopped')), 100);
    await expect(making).rejects.toThrow();
    expect((await stacks()).sort()).toEqual(['cut', 'short']);
    emulator.faults.clear();
    await deleteLeftovers(openStack, { instances: [], stacks: left }, millis(0));
    expect(await stacks()).toEqual([]);
  });

  it('leaves nothing of an instance that a stopped bench made: neither its stack nor its image', async () => {
    const id = '6f6b0b6e-5a5e-4f6b-9d66-000000000001';
    await openStack.heat.createStack({ name: `vnf-${id}`, template: TEMPLATE });
    const image = { name: 'its', diskFormat: 'raw', containerFormat: 'bare' };
    await openStack.glance.createImage({ ...image, tags: ['windlass', `windlass-vnf-${id}`] });
    await openStack.glance.createImage({ ...image, tags: ['windlass', `windlass-vnf-another`] });
    // What instances share carries the tag of the bench's own Windlass.
    await openStack.glance.createImage({ ...image, tags: ['windlass', 'windlass-shared-image', 'windlass-deployment-ours'] });
    await deleteLeftovers(openStack, { instances: [id], stacks: [], deployment: 'ours' }, millis(0));
    expect(await stacks()).toEqual([]);
    expect((await openStack.glance.findImages({ name: 'its' })).map(({ tags }) => tags)).toEqual([
      expect.arrayContaining(['windlass-vnf-another']),
    ]);
  });

  it('asks for the same stack as Windlass did, under another name and without its tags', () => {
    const body = {
      stack_name: 'vnf-1',
      template: TEMPLATE,
      parameters: { nfv: {} },
      files: {},
      tags: 'windlass',
      timeout_mins: 60,
    };
    expect(specOf(body)).toEqual({ template: TEMPLATE, parameters: { nfv: {} }, files: {}, timeoutMinutes: 60 });
  });
});
