import type { Json, JsonObject } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenStack } from './openstack.js';
import { FakeVim } from './testing/fake-vim.js';
import { recorded } from './testing/recorded.js';

describe('reading Nova, Neutron and Cinder', () => {
  let vim: FakeVim;
  let openStack: OpenStack;
  beforeEach(async () => {
    vim = await FakeVim.start();
    openStack = OpenStack.open(vim.connection());
  });
  afterEach(async () => {
    openStack.close();
    await vim.close();
  });

  it('shows a server as a user sees it, with the host hidden', async () => {
    const id = '46f89f33-e29b-4d11-8e8d-034fd76ea2af';
    vim.on('GET', `/nova/v2.1/servers/${id}`, { status: 200, json: recorded('04_nova_user_46f89f33').body });
    await expect(openStack.nova.getServer(id)).resolves.toEqual({
      id,
      name: 'VDU2',
      status: 'ACTIVE',
      createdAt: '2026-11-20T23:48:01Z',
      hostId: 'e9d3ab9ec07bf0553f4816f370c60ee773323e3109f25c1ca56ea6bf',
      host: undefined,
      availabilityZone: 'nova',
      imageId: undefined, // it boots from a volume
      flavorId: '225ade0b-4cea-4bfc-a2fa-432f7a5c9173',
      volumeIds: ['d168a6f9-9ebd-46ae-a3ae-ad3cbb197508', '1e1858af-c19e-4372-a785-45c8da9b19c6'],
      fault: undefined,
    });
    await expect(openStack.nova.getServer('gone')).resolves.toBeUndefined();
  });

  it('reads the SSH host keys that a template gave a server, with what is no key among them', async () => {
    const { server } = recorded('04_nova_user_46f89f33').body as { server: JsonObject };
    const metadata = {
      'windlass:host_key': 'ssh-ed25519 AAAA root@vm',
      'windlass:host_key:2': 'nonsense',
      'windlass:host_keys': 'x y',
      'windlass:host_key:3': '',
    };
    vim.on('GET', '/nova/v2.1/servers/with-keys', { status: 200, json: { server: { ...server, metadata } } });
    const { hostKeys } = (await openStack.nova.getServer('with-keys')) ?? {};
    expect(hostKeys).toEqual(['ssh-ed25519 AAAA', 'nonsense']);
  });

  it('asks for a server name literally, since Nova takes it for a pattern', async () => {
    const body = recorded('04_nova_user_14b0dd18').body as { server: Json };
    vim.on('GET', '/nova/v2.1/servers/detail', { status: 200, json: { servers: [body.server] } });
    await expect(openStack.nova.listServers({ name: 'a.b(c)' })).resolves.toHaveLength(1);
    const query = new URLSearchParams(vim.serviceRequests[0]!.path.split('?')[1]);
    expect(query.get('name')).toBe(String.raw`^a\.b\(c\)$`);
  });

  it('finds a flavour by its name before one that has that for an id', async () => {
    const flavor = (id: string, name: string) => ({ id, name, vcpus: 2, ram: 4096, disk: 45 });
    vim.on('GET', '/nova/v2.1/flavors/detail', {
      status: 200,
      json: { flavors: [flavor('m1.tiny', 'x'), flavor('2', 'm1.tiny')] },
    });
    await expect(openStack.nova.findFlavor('m1.tiny')).resolves.toEqual({
      id: '2',
      name: 'm1.tiny',
      vcpus: 2,
      ramMiB: 4096,
      diskGiB: 45,
    });
    await expect(openStack.nova.findFlavor('2')).resolves.toMatchObject({ name: 'm1.tiny' });
    await expect(openStack.nova.findFlavor('m9')).resolves.toBeUndefined();
  });

  it('lists zones and server groups', async () => {
    vim.on('GET', '/nova/v2.1/os-availability-zone', {
      status: 200,
      json: { availabilityZoneInfo: [{ zoneName: 'nova', zoneState: { available: true }, hosts: null }] },
    });
    vim.on('GET', '/nova/v2.1/os-server-groups', {
      status: 200,
      json: { server_groups: [{ id: 'g', name: 'aag', policies: ['anti-affinity'], members: ['s1', 's2'], metadata: {} }] },
    });
    await expect(openStack.nova.availabilityZones()).resolves.toEqual([{ name: 'nova', available: true }]);
    await expect(openStack.nova.serverGroups()).resolves.toEqual([
      { id: 'g', name: 'aag', policies: ['anti-affinity'], members: ['s1', 's2'] },
    ]);
  });

  it('reads a hundred ports in three requests', async () => {
    vim.on('GET', '/neutron/v2.0/ports', (request) => {
      const ids = new URLSearchParams(request.path.split('?')[1]).getAll('id');
      const port = (id: string) => ({
        id,
        name: '',
        network_id: 'n',
        mac_address: 'fa:16:3e:00:00:01',
        device_id: '',
        status: 'ACTIVE',
      });
      return { status: 200, json: { ports: ids.map(port) } };
    });
    const ports = await openStack.neutron.portsById(Array.from({ length: 100 }, (_, index) => `p${index}`));
    expect(ports.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, index) => `p${index}`));
    expect(vim.serviceRequests).toHaveLength(3);
    expect(ports[0]).toMatchObject({ deviceId: undefined, fixedIps: [], allowedAddresses: [] });
  });

  it('never lists all ports when there are none to ask for', async () => {
    await expect(openStack.neutron.portsById([])).resolves.toEqual([]);
    await expect(openStack.neutron.floatingIpsOfPorts([])).resolves.toEqual([]);
    expect(vim.requests).toEqual([]);
  });

  it('finds a network by id or by name', async () => {
    vim.on('GET', '/neutron/v2.0/networks', (request) =>
      request.path.endsWith('?name=net0') || request.path.endsWith('?id=n1')
        ? { status: 200, json: { networks: [{ id: 'n1', name: 'net0', 'router:external': true, subnets: ['s'] }] } }
        : { status: 200, json: { networks: [] } },
    );
    const net0 = { id: 'n1', name: 'net0', external: true, subnetIds: ['s'] };
    await expect(openStack.neutron.findNetwork('net0')).resolves.toEqual(net0);
    await expect(openStack.neutron.findNetwork('n1')).resolves.toEqual(net0);
    await expect(openStack.neutron.findNetwork('none')).resolves.toBeUndefined();
  });

  it('reads and deletes volumes', async () => {
    const volume = {
      id: 'v',
      name: null,
      size: 1,
      status: 'in-use',
      bootable: 'true',
      attachments: [{ server_id: 's', device: '/dev/vdb' }],
    };
    vim.on('GET', '/cinder/v3/p/volumes/v', { status: 200, json: { volume } });
    vim.on('GET', '/cinder/v3/p/volumes/detail', { status: 200, json: { volumes: [volume] } });
    vim.on('DELETE', '/cinder/v3/p/volumes/v', { status: 202 });
    const read = {
      id: 'v',
      name: '',
      sizeGiB: 1,
      status: 'in-use',
      bootable: true,
      attachments: [{ serverId: 's', device: '/dev/vdb' }],
    };
    await expect(openStack.cinder.getVolume('v')).resolves.toEqual(read);
    await expect(openStack.cinder.listVolumes({ name: 'vol' })).resolves.toEqual([read]);
    await expect(openStack.cinder.deleteVolume('v')).resolves.toBe(true);
    await expect(openStack.cinder.deleteVolume('gone')).resolves.toBe(false);
  });
});
