import { TerminalError, type JsonObject } from '@windlass/foundation';
import type { VnfInstanceRecord } from '@windlass/lifecycle';
import type { TakenAddress, VimNetwork, VimNetworksRequest, VimPort } from '@windlass/messaging';
import { describe, expect, it } from 'vitest';
import { NetworkChecks } from './network-checks.js';

const NET: VimNetwork = { name: 'net0', found: 1, id: 'n-0', subnets: [{ id: 's-0', name: 'inner', cidr: '10.10.0.0/24' }] };
const PORT: VimPort = { name: 'p-1', found: 1, networkId: 'n-0', used: false };
const AT = '/extVirtualLinks/0/extLinkPorts/0/resourceHandle/resourceId';

const withPort = (port: string, cps = ['CP1']) => ({
  extVirtualLinks: [
    {
      id: 'outside',
      resourceId: 'net0',
      extCps: cps.map((cpdId) => ({ cpdId, cpConfig: [{ linkPortId: 'prepared' }] })),
      extLinkPorts: [
        { id: 'prepared', resourceHandle: { resourceId: port } },
        { id: 'spare', resourceHandle: { resourceId: 'p-9' } },
      ],
    },
  ],
});

const withAddresses = (...ipAddresses: object[]) => ({
  extVirtualLinks: [
    { resourceId: 'net0', extCps: [{ cpdId: 'CP1', cpConfig: [{ cpProtocolData: [{ ipOverEthernet: { ipAddresses } }] }] }] },
  ],
});
const address = (index: number, n = 0) =>
  `/extVirtualLinks/0/extCps/0/cpConfig/0/cpProtocolData/0/ipOverEthernet/ipAddresses/${index}/fixedAddresses/${n}`;

type Instance = Pick<VnfInstanceRecord, 'instantiated' | 'leftovers'>;
const NOTHING: Instance = { instantiated: null, leftovers: null };
const LEFT = { instantiated: null, leftovers: {} } as unknown as Instance;
/** Of one server, with one port. */
const THERE = {
  instantiated: {
    info: {
      vnfcResourceInfo: [{ computeResource: { resourceId: 'own-server' } }],
      extVirtualLinkInfo: [{ extLinkPorts: [{ resourceHandle: { resourceId: 'own-port' } }] }],
    },
  },
  leftovers: null,
} as unknown as Instance;

/** Asks a VIM that has these. @param older the registry is of a release that knows neither addresses nor ports */
async function looked(
  request: object,
  {
    ports = [PORT],
    networks = [NET],
    taken = [],
    instance = NOTHING,
    older = false,
  }: { ports?: VimPort[]; networks?: VimNetwork[]; taken?: TakenAddress[]; instance?: Instance; older?: boolean } = {},
) {
  const asked: VimNetworksRequest[] = [];
  const vims = {
    networks: (question: VimNetworksRequest) => {
      asked.push(question);
      return older && (question.ports ?? question.addresses) !== undefined
        ? Promise.reject(new TerminalError('messaging.undecodable', 'a message vim.networks.request'))
        : Promise.resolve({ networks, ...(question.ports === undefined ? {} : { ports }), taken, unanswered: null });
    },
  };
  const checks = new NetworkChecks(vims, () => Promise.resolve('coordinator'));
  const question = { tenant: 'default', vim: { id: 'vim' }, request: request as JsonObject, ranges: [], ipv4Cps: [], instance };
  const warnings: unknown = await checks.check(question).catch((error: unknown) => error);
  return { asked, warnings };
}

const refusedAt = (path: string, reason: string) => ({
  status: 400,
  code: 'vim.networks',
  invalidParams: [{ path, reason: expect.stringContaining(reason) as string }],
});

describe('a prepared port of a request', () => {
  it('is asked for where a connection point names it, and taken where it is free and on the network of its link', async () => {
    const { asked, warnings } = await looked(withPort('p-1'));
    expect(asked.map(({ ports }) => ports)).toEqual([['p-1']]);
    expect(warnings).toEqual([]);
  });

  it.each([
    [{ name: 'p-1', found: 0 }, 'the VIM has no port p-1'],
    [{ name: 'p-1', found: 2 }, '2 ports of the VIM are called p-1'],
    [{ ...PORT, used: true }, 'port p-1 is in use'],
    [{ ...PORT, networkId: 'n-7' }, 'port p-1 is on network n-7, and its link is network net0 (n-0)'],
  ])('is refused before anything is made where no server can have it as asked: %j', async (port, reason) => {
    expect((await looked(withPort('p-1'), { ports: [port] })).warnings).toMatchObject(refusedAt(AT, reason));
  });

  it('is taken in use where its device is the VNF’s own, or may be what a failed operation left', async () => {
    const used = { ...PORT, used: true, id: 'p-id', device: 'own-server' };
    expect((await looked(withPort('p-1'), { ports: [used], instance: THERE })).warnings).toEqual([]);
    expect((await looked(withPort('p-1'), { ports: [{ ...used, device: 'other' }], instance: LEFT })).warnings).toEqual([]);
    const others = { ports: [{ ...used, device: 'other' }], instance: THERE };
    expect((await looked(withPort('p-1'), others)).warnings).toMatchObject(refusedAt(AT, 'port p-1 is in use'));
  });

  it('is refused to a second connection point', async () => {
    expect((await looked(withPort('p-1', ['CP1', 'CP2']))).warnings).toMatchObject(refusedAt(AT, 'is given to "CP1" already'));
  });

  it('is not looked for by a registry of an older release, which looks for the networks', async () => {
    const { asked, warnings } = await looked(withPort('p-1'), {
      older: true,
      networks: [{ name: 'net0', found: 1, subnets: [] }],
    });
    expect(asked.map(({ ports }) => ports)).toEqual([['p-1'], ['p-1'], ['p-1'], undefined]);
    expect(warnings).toEqual([]);
  });
});

describe('addresses that a request gives', () => {
  it('are taken where a subnet of the network has them', async () => {
    const networks = [{ ...NET, subnets: [...NET.subnets, { id: 's-6', name: '', cidr: 'fd16::/64' }] }];
    const request = withAddresses({ type: 'IPV4', fixedAddresses: ['10.10.0.9'] }, { type: 'IPV6', fixedAddresses: ['fd16::9'] });
    expect((await looked(request, { networks })).warnings).toEqual([]);
  });

  it.each([
    [
      { fixedAddresses: ['10.10.0.9', '10.99.0.9'] },
      address(0, 1),
      'no subnet of network net0 has the address 10.99.0.9 for a port; it has s-0',
    ],
    [
      { fixedAddresses: ['10.11.0.9'], subnetId: 'inner' },
      address(0),
      'subnet inner (10.10.0.0/24) of network net0 has no address',
    ],
    [{ fixedAddresses: ['10.10.0.9', '10.10.0.9'] }, address(0, 1), 'is given before this'],
  ])('are refused where none has them, or twice: %j', async (given, path, reason) => {
    expect((await looked(withAddresses(given))).warnings).toMatchObject(refusedAt(path, reason));
  });

  it.each([['10.10.0.0'], ['10.10.0.255']])('are refused where no port may have them: %s', async (given) => {
    const { warnings } = await looked(withAddresses({ fixedAddresses: [given] }));
    expect(warnings).toMatchObject(refusedAt(address(0), `no subnet of network net0 has the address ${given} for a port`));
  });

  it('are asked for once each, as Neutron writes them, and not where a prepared port has its own', async () => {
    const given = withAddresses({ fixedAddresses: ['10.10.0.9', '10.10.0.9', 'FD16:0:0::9', 'fe80::1%eth0'] });
    const wanted = ['10.10.0.9', 'fd16::9', 'fe80::1%eth0'].map((each) => ({ network: 'net0', address: each }));
    expect((await looked(given)).asked[0]?.addresses).toEqual(wanted);
    const [link] = given.extVirtualLinks;
    const prepared = link?.extCps.map((cp) => ({ ...cp, cpConfig: cp.cpConfig.map((each) => ({ ...each, linkPortId: 'p' })) }));
    expect((await looked({ extVirtualLinks: [{ ...link, extCps: prepared }] })).asked[0]?.addresses).toEqual([]);
  });

  it('are refused where a port of somebody else has them, and taken where it is the VNF’s own', async () => {
    const request = withAddresses({ fixedAddresses: ['10.10.0.9'] });
    const port = { network: 'net0', address: '10.10.0.9', port: 'p-7', device: 's-7' };
    const refused = await looked(request, { taken: [port], instance: THERE });
    expect(refused.warnings).toMatchObject(refusedAt(address(0), 'port p-7 of s-7 has the address 10.10.0.9 of network net0'));
    expect((await looked(request, { taken: [{ ...port, port: 'own-port' }], instance: THERE })).warnings).toEqual([]);
    expect((await looked(request, { taken: [{ ...port, device: 'own-server' }], instance: THERE })).warnings).toEqual([]);
    expect((await looked(request, { taken: [port], instance: LEFT })).warnings).toEqual([]);
  });
});
