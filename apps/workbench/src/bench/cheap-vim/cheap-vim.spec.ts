import { Secret } from '@windlass/foundation';
import { OpenStack, readInventory, waitForDeletion, waitForStack } from '@windlass/openstack';
import { seconds } from '@windlass/foundation';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CheapServer } from './cheap-server.js';

const TEMPLATE = `heat_template_version: 2013-05-23
resources:
  VDU1: { type: OS::Nova::Server, properties: { networks: [ { port: { get_resource: CP1 } } ] } }
  CP1: { type: OS::Neutron::Port, properties: { network: net0 } }
`;

let vim: CheapServer;
let openStack: OpenStack;

const openedFor = ({ url, vim: { tenant } }: CheapServer, password: string): OpenStack =>
  OpenStack.open({
    authUrl: url,
    credentials: { kind: 'password', username: tenant.user, password: new Secret(password), project: tenant.project },
  });

beforeAll(async () => {
  vim = await CheapServer.start();
  openStack = openedFor(vim, vim.vim.tenant.password);
});

afterAll(async () => {
  openStack.close();
  await vim.stop();
});

describe('the cheap VIM', () => {
  it('makes a stack of a server and its port that our client reads, and takes it away again', async () => {
    const ref = await openStack.heat.createStack({ name: 'one', template: TEMPLATE, tags: ['a', 'b'], timeoutMinutes: 5 });
    const stack = await waitForStack(openStack.heat, ref, 'CREATE', { within: seconds(5) });
    expect(stack).toMatchObject({ name: 'one', status: 'CREATE_COMPLETE', tags: ['a', 'b'], timeoutMinutes: 5 });
    expect(await openStack.heat.findStack('one')).toMatchObject({ id: ref.id });
    expect(vim.taken().flatMap(({ made }) => made ?? [])).toEqual([ref.id]);
    expect(await openStack.heat.listStacks({ tags: ['a'] })).toMatchObject([{ id: ref.id }]);
    const { servers, ports } = await readInventory(openStack, ref);
    expect(servers).toMatchObject([{ name: 'VDU1', serverStatus: 'ACTIVE' }]);
    expect(ports).toMatchObject([{ name: 'CP1', serverId: servers[0]?.physicalId }]);
    expect(ports[0]?.fixedIps[0]?.address).toMatch(/^10\./);
    await openStack.heat.deleteStack(ref);
    await waitForDeletion(openStack.heat, ref, { within: seconds(5) });
    expect(await openStack.heat.findStack('one')).toBeUndefined();
    expect(await openStack.nova.getServer(servers[0]?.physicalId ?? '')).toBeUndefined();
  });

  it('keeps the hash of an image, so that what came is compared with what was sent', async () => {
    const id = '11111111-1111-4111-8111-111111111111';
    await openStack.glance.createImage({ id, name: 'image', diskFormat: 'qcow2', tags: ['windlass', 'of'] });
    const bytes = Buffer.alloc(1_000, 7);
    const image = await openStack.glance.upload(id, { bytes: () => Readable.from([bytes]), length: bytes.length });
    expect(image).toMatchObject({ status: 'active', sizeBytes: 1_000, hashAlgorithm: 'sha512' });
    expect(await openStack.glance.findImages({ tag: 'of' })).toMatchObject([{ id }]);
    await expect(openStack.glance.createImage({ id, name: 'again', diskFormat: 'raw' })).rejects.toMatchObject({
      code: 'glance.image-exists',
    });
    expect(await openStack.glance.deleteImage(id)).toBe(true);
    expect(await openStack.glance.getImage(id)).toBeUndefined();
  });

  it('shows a stack under way for as long as stacks are to take', async () => {
    const slow = await CheapServer.start(150);
    const its = openedFor(slow, slow.vim.tenant.password);
    try {
      const ref = await its.heat.createStack({ name: 'slow', template: TEMPLATE });
      expect(await its.heat.getStack(ref)).toMatchObject({ status: 'CREATE_IN_PROGRESS' });
      await waitForStack(its.heat, ref, 'CREATE', { within: seconds(10) });
    } finally {
      its.close();
      await slow.stop();
    }
  });

  it.each([
    ['a volume', { resources: { disk: { type: 'OS::Cinder::Volume' } } }],
    [
      'a server whose network it would have to choose',
      { resources: { VDU1: { type: 'OS::Nova::Server', properties: { networks: [{ network: 'net0' }] } } } },
    ],
  ])('refuses a template with %s', async (_, template) => {
    await expect(openStack.heat.createStack({ name: 'other', template })).rejects.toMatchObject({
      code: 'openstack.refused',
      message: expect.stringContaining('the cheap VIM does not know') as string,
    });
    expect(await openStack.heat.findStack('other')).toBeUndefined();
  });

  it('refuses what it was not made for, and passes over no parameter', async () => {
    await expect(openStack.nova.limits()).rejects.toMatchObject({ code: 'openstack.refused' });
    await expect(openStack.nova.listServers({ name: 'VDU1' })).rejects.toMatchObject({ code: 'openstack.refused' });
    await expect(openStack.heat.events({ name: 'one', id: 'none' })).rejects.toMatchObject({ code: 'heat.stack-not-found' });
    await expect(openStack.heat.resourceTypes()).rejects.toMatchObject({ code: 'openstack.refused' });
  });

  it('lets nobody in without the password it was started with', async () => {
    const stranger = openedFor(vim, 'wrong');
    await expect(stranger.heat.listStacks()).rejects.toMatchObject({ code: 'openstack.unauthorized' });
    stranger.close();
    const answer = await fetch(`${vim.url}/regions`, { headers: { 'X-Auth-Token': 'made-up' } });
    expect(answer.status).toBe(401);
  });

  it('tells once what it was asked', async () => {
    vim.taken();
    await openStack.heat.findStack('nobody');
    expect(vim.taken()).toMatchObject([{ service: 'orchestration', method: 'GET', status: 404 }]);
    expect(vim.taken()).toEqual([]);
  });
});
