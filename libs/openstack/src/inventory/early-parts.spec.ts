import type { JsonObject } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OpenStack } from '../openstack.js';
import type { FakeVim } from '../testing/fake-vim.js';
import { RECORDED_STACK, recordedVim } from '../testing/recorded-vim.js';
import { EarlyReading } from './early-parts.js';
import { readParts } from './read-inventory.js';

const LISTING = '03_resources_nested_depth_2';
const SERVERS = /^\/nova\/v2.1\/servers\/[^/]+$/;

describe('what is read of a stack shortly before it is complete', () => {
  let vim: FakeVim;
  let openStack: OpenStack;
  let early: EarlyReading;
  beforeEach(async () => {
    vim = await recordedVim(LISTING);
    openStack = OpenStack.watching(vim.connection());
    early = new EarlyReading(openStack);
  });
  afterEach(async () => {
    openStack.close();
    await vim.close();
  });

  const resources = () => openStack.heat.listResources(RECORDED_STACK);
  const read = () => readParts(openStack, RECORDED_STACK, early.parts);
  const asked = (prefix: string): number => vim.serviceRequests.filter(({ path }) => path.startsWith(prefix)).length;
  /** Requests to each service, for what is done meanwhile. */
  const during = async (work: () => Promise<unknown>): Promise<number[]> => {
    const services = ['/heat', '/nova', '/neutron/v2.0/ports', '/neutron/v2.0/floatingips', '/cinder'];
    const before = services.map(asked);
    await work();
    return services.map((service, index) => asked(service) - before[index]!);
  };
  /** A server as it is before Nova has finished, or as another one. */
  const serverAs = (change: JsonObject): void => {
    vim.on('GET', SERVERS, ({ path }) => {
      const id = path.slice(path.lastIndexOf('/') + 1);
      const server = { id, name: 'VDU1', status: 'ACTIVE', created: '2026-11-20T23:48:00Z', image: '', flavor: { id: 'f' } };
      return { status: 200, json: { server: { ...server, ...change } } };
    });
  };

  it('is not asked for again, and the same as what would be read then', async () => {
    const late = await readParts(openStack, RECORDED_STACK);
    early.listed(await resources());
    const before = await during(async () => {
      early.endsSoon();
      early.endsSoon();
      await early.parts?.servers;
    });
    expect(before).toEqual([0, 3, 1, 1, 0]);
    let parts: unknown;
    expect(await during(async () => (parts = await read()))).toEqual([1, 0, 0, 0, 2]);
    expect(parts).toEqual(late);
  });

  it('has no ports where one, or what leads an address to it, is not there yet: they are asked for when the stack is complete', async () => {
    for (const type of ['OS::Neutron::Port', 'OS::Neutron::FloatingIPAssociation']) {
      early = new EarlyReading(openStack);
      const listed = await resources();
      const [port] = listed.filter((one) => one.type === 'OS::Neutron::Port');
      early.listed([...listed, { ...port!, type, status: 'CREATE_IN_PROGRESS' }]);
      const before = await during(async () => {
        early.endsSoon();
        await early.parts?.ports;
      });
      expect(before.slice(2, 4)).toEqual([0, 0]);
      openStack.close();
      openStack = OpenStack.watching(vim.connection());
    }
  });

  it('has its ports read again where the complete stack has a floating IP more', async () => {
    const listed = await resources();
    early.listed(listed);
    early.endsSoon();
    await early.parts?.ports;
    const [server] = listed.filter((one) => one.type === 'OS::Nova::Server');
    const listResources = () => Promise.resolve([...listed, { ...server!, type: 'OS::Neutron::FloatingIP', physicalId: 'new' }]);
    vi.spyOn(openStack.heat, 'listResources').mockImplementation(listResources);
    expect((await during(read)).slice(1, 4)).toEqual([0, 1, 2]);
  });

  it('is asked for again where Nova had not finished with a server, or works on it', async () => {
    for (const change of [{ status: 'BUILD' }, { 'OS-EXT-STS:task_state': 'spawning' }]) {
      early = new EarlyReading(openStack);
      serverAs(change);
      early.listed(await resources());
      early.endsSoon();
      await early.parts?.servers;
      openStack.close();
      openStack = OpenStack.watching(vim.connection());
      expect(await during(read)).toEqual([1, 3, 1, 1, 2]);
    }
  });

  it('is asked for anew where the complete stack has other servers and ports: what Heat has replaced is in nothing', async () => {
    const listed = await resources();
    early.listed(listed.map((one) => ({ ...one, physicalId: `old-${one.physicalId}` })));
    serverAs({});
    early.endsSoon();
    await early.parts?.servers;
    const parts = await read();
    expect(asked('/nova')).toBe(6);
    expect(parts.servers.map(({ serverStatus }) => serverStatus)).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE']);
    expect(parts.ports.every(({ networkId }) => networkId !== undefined)).toBe(true);
  });

  it('is nothing while anything of the stack has not been begun, and no servers where volumes are attached later', async () => {
    const listed = await resources();
    early.listed(listed.map((one, index) => (index === 0 ? { ...one, physicalId: undefined } : one)));
    early.endsSoon();
    expect(early.parts).toBeUndefined();
    early.listed([...listed, { ...listed[0]!, type: 'OS::Cinder::VolumeAttachment' }]);
    early.endsSoon();
    await early.parts?.servers;
    expect(asked('/nova')).toBe(0);
    expect(await during(read)).toEqual([1, 3, 1, 1, 2]);
  });

  it('that fails is read when the stack is complete', async () => {
    early.listed(await resources());
    vim.on('GET', SERVERS, { status: 400, json: {} });
    early.endsSoon();
    await expect(early.parts?.servers).resolves.toEqual([]);
    serverAs({});
    expect((await read()).servers.map(({ serverStatus }) => serverStatus)).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE']);
  });
});
