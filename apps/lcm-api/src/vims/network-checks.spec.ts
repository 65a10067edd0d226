import { TerminalError, TransientError, type JsonObject } from '@windlass/foundation';
import type { VimNetwork } from '@windlass/messaging';
import type { KeptRange } from '@windlass/mgmt-driver';
import { describe, expect, it } from 'vitest';
import { NetworkChecks } from './network-checks.js';

const TENANT = 'default';
const PODS: KeptRange = { path: '/additionalParams/pod_cidr', name: 'pod_cidr', cidr: '10.244.0.0/16' };
const SUBNETS = [
  { id: 'subnet-1', name: 'nodes', cidr: '10.10.0.0/24' },
  { id: 'subnet-2', name: '', cidr: '10.244.7.0/24' },
];

type Granter = 'nfvo' | 'coordinator' | 'nobody';

/** Asks a VIM that has these networks. */
async function looked(
  request: object,
  {
    networks = [],
    ranges = [],
    ipv4Cps = [],
    by = 'coordinator',
    fails,
  }: { networks?: VimNetwork[]; ranges?: KeptRange[]; ipv4Cps?: string[]; by?: Granter; fails?: Error },
) {
  const asked: string[][] = [];
  const subnetsOf: (string[] | undefined)[] = [];
  const vims = {
    networks: ({ names, ...more }: { names: string[]; subnetsOf?: string[] }) => {
      asked.push(names);
      subnetsOf.push(more.subnetsOf);
      return fails === undefined ? Promise.resolve({ networks, unanswered: null }) : Promise.reject(fails);
    },
  };
  const checks = new NetworkChecks(vims, () => Promise.resolve(by === 'nobody' ? undefined : by));
  const question = {
    tenant: TENANT,
    vim: { id: 'vim' },
    request: request as JsonObject,
    ranges,
    ipv4Cps,
    instance: { instantiated: null, leftovers: null },
  };
  const warnings = await checks.check(question).catch((error: unknown) => error as { invalidParams: unknown });
  return { asked, subnetsOf, warnings };
}

const link = (resourceId: string, subnetId?: string) => ({
  resourceId,
  extCps: [
    {
      cpdId: 'CP1',
      cpConfig: [
        { cpProtocolData: [{ ipOverEthernet: { ipAddresses: [subnetId === undefined ? { type: 'IPV4' } : { subnetId }] } }] },
      ],
    },
  ],
});

describe('networks that a request names', () => {
  it('are looked for once each, those of managed links among them; a request that names none asks nobody', async () => {
    const request = { extVirtualLinks: [link('a'), link('a')], extManagedVirtualLinks: [{ resourceId: 'b' }] };
    expect((await looked(request, {})).asked).toEqual([['a', 'b']]);
    expect((await looked({ flavourId: 'simple' }, { ranges: [PODS] })).asked).toEqual([]);
  });

  it('are looked at with their subnets only where the request, its ranges or a driver says anything of addresses', async () => {
    const plain = { resourceId: 'b', extCps: [{ cpdId: 'CP1', cpConfig: [{ cpProtocolData: [] }] }] };
    const fixed = {
      cpConfig: [{ cpProtocolData: [{ ipOverEthernet: { ipAddresses: [{ fixedAddresses: ['10.10.0.7'] }] } }] }],
    };
    const of = async (links: object[], more: Parameters<typeof looked>[1] = {}) =>
      (await looked({ extVirtualLinks: links }, more)).subnetsOf;
    expect(await of([plain])).toEqual([[]]);
    expect(await of([link('a'), plain])).toEqual([['a']]);
    expect(await of([link('a', 'subnet-1'), plain])).toEqual([['a']]);
    expect(await of([{ resourceId: 'a', extCps: [fixed] }, plain])).toEqual([['a']]);
    // All of them, which is not said.
    expect(await of([plain], { ranges: [PODS] })).toEqual([undefined]);
    expect(await of([plain], { ipv4Cps: ['CP1'] })).toEqual([undefined]);
  });

  it('are each told with their path where the VIM has none or several of that name', async () => {
    const networks = [
      { name: 'a', found: 0, subnets: [] },
      { name: 'b', found: 2, subnets: [] },
    ];
    const request = { extVirtualLinks: [link('a')], extManagedVirtualLinks: [{ resourceId: 'b' }] };
    expect((await looked(request, { networks })).warnings).toMatchObject({
      status: 400,
      code: 'vim.networks',
      invalidParams: [
        { path: '/extVirtualLinks/0/resourceId', reason: expect.stringContaining('has no network a') as string },
        { path: '/extManagedVirtualLinks/0/resourceId', reason: expect.stringContaining('2 networks') as string },
      ],
    });
  });

  it.each(['nfvo', 'nobody'] as const)('are a warning where their grant may name others (by %s)', async (by) => {
    const networks = [{ name: 'a', found: 0, subnets: [] }];
    expect((await looked({ extVirtualLinks: [link('a')] }, { networks, by })).warnings).toEqual([
      expect.stringContaining('unless the grant of an NFVO names another') as string,
    ]);
  });

  it('are a warning where the registry does not answer; what is no silence is thrown', async () => {
    const request = { extVirtualLinks: [link('a')] };
    const silent = new TransientError('messaging.no-answer', 'nobody answers');
    expect((await looked(request, { fails: silent })).warnings).toEqual([expect.stringContaining('says nothing') as string]);
    const forbidden = new TerminalError('messaging.forbidden', 'our NATS user may not ask windlass.vim.networks');
    expect((await looked(request, { fails: forbidden })).warnings).toEqual([expect.stringContaining('may not ask') as string]);
    const broken = new TerminalError('sealing.broken', 'somebody else answered');
    expect((await looked(request, { fails: broken })).warnings).toBe(broken);
  });
});

describe('a registry of an older release', () => {
  const undecodable = new TerminalError('messaging.undecodable', 'a message vim.networks.request');
  const asked = { servers: [{ name: 'VDU1', flavor: 'm1.tiny', fromVolume: false }], floating: [] };
  const base = { tenant: TENANT, ranges: [], ipv4Cps: [], instance: { instantiated: null, leftovers: null } };

  it('is asked for what it knows, and for nothing where it knows nothing of it', async () => {
    const seen: object[] = [];
    const vims = {
      networks: (question: { names: string[]; flavors?: string[] }) => {
        seen.push(question);
        const found = question.names.map((name) => ({ name, found: 1, subnets: [] }));
        return question.flavors === undefined
          ? Promise.resolve({ networks: found, unanswered: null })
          : Promise.reject(undecodable);
      },
    };
    const checks = new NetworkChecks(vims, () => Promise.resolve('coordinator'));
    const request = { extVirtualLinks: [link('a')] } as JsonObject;
    expect(await checks.check({ ...base, vim: { id: 'vim' }, asked, request })).toEqual([]);
    expect(seen).toMatchObject([{ flavors: ['m1.tiny'] }, { names: ['a'] }]);
    seen.length = 0;
    expect(await checks.check({ ...base, vim: { id: 'vim' }, asked, request: {} })).toEqual([]);
    expect(seen).toHaveLength(1);
  });

  it('is asked again without what the last release has added, also for a VIM that the request describes', async () => {
    const seen: object[] = [];
    const vims = {
      networks: (question: { names: string[]; subnetsOf?: string[] }) => {
        seen.push(question);
        const found = question.names.map((name) => ({ name, found: 1, subnets: [] }));
        return 'subnetsOf' in question ? Promise.reject(undecodable) : Promise.resolve({ networks: found, unanswered: null });
      },
    };
    const checks = new NetworkChecks(vims, () => Promise.resolve('coordinator'));
    const request = { extVirtualLinks: [{ resourceId: 'a' }] } as JsonObject;
    const described = { id: 'mine', described: {} as never };
    expect(await checks.check({ ...base, vim: described, request })).toEqual([]);
    expect(seen).toMatchObject([{ subnetsOf: [] }, { names: ['a'] }]);
  });

  it('looks at no VIM that a request describes: a warning', async () => {
    const checks = new NetworkChecks({ networks: () => Promise.reject(undecodable) }, () => Promise.resolve('coordinator'));
    const described = { id: 'mine', described: {} as never };
    const told = await checks.check({
      ...base,
      vim: described,
      asked,
      request: { extVirtualLinks: [link('a')] } as JsonObject,
    });
    expect(told).toEqual([expect.stringContaining('older release looks at registered VIMs alone') as string]);
  });
});

describe('what a VNF keeps for itself', () => {
  const networks = [{ name: 'a', found: 1, subnets: SUBNETS }];

  it('is refused at its field where a subnet of a network overlaps it, whichever of the two is the wider', async () => {
    for (const cidr of ['10.244.0.0/16', '10.244.7.128/25'])
      expect((await looked({ extVirtualLinks: [link('a')] }, { networks, ranges: [{ ...PODS, cidr }] })).warnings).toMatchObject({
        invalidParams: [{ path: PODS.path, reason: expect.stringContaining('subnet-2 (10.244.7.0/24) of network a') as string }],
      });
  });

  it('is refused at the network where no field of the request chose it', async () => {
    const ranges = [{ name: 'pod_cidr', cidr: PODS.cidr }];
    expect((await looked({ extVirtualLinks: [link('a')] }, { networks, ranges })).warnings).toMatchObject({
      invalidParams: [{ path: '/extVirtualLinks/0/resourceId' }],
    });
  });

  it('may be a subnet on which the request puts nobody', async () => {
    const request = { extVirtualLinks: [link('a', 'subnet-1')] };
    expect((await looked(request, { networks, ranges: [PODS] })).warnings).toEqual([]);
  });
});

describe('a network without a subnet of the family that an address is wanted of', () => {
  const of = (...cidrs: string[]): VimNetwork[] => [
    { name: 'a', found: 1, subnets: cidrs.map((cidr, n) => ({ id: `s${n}`, name: `s${n}`, cidr })) },
  ];
  const plain = { extVirtualLinks: [{ resourceId: 'a', extCps: [{ cpdId: 'CP1', cpConfig: [{ cpProtocolData: [{}] }] }] }] };
  const asking = { extVirtualLinks: [link('a')] };

  it('is refused at the connection point that needs one of IPv4, before anything is made', async () => {
    expect((await looked(plain, { networks: of('fd16::/64'), ipv4Cps: ['CP1'] })).warnings).toMatchObject({
      code: 'vim.networks',
      invalidParams: [
        {
          path: '/extVirtualLinks/0/extCps/0/cpdId',
          reason:
            'the CP CP1 needs an IPv4 address, and network a has no IPv4 subnet, only s0 (s0, fd16::/64): make one there, or name another network',
        },
      ],
    });
  });

  it('is refused at the type of the address that the request asks for', async () => {
    const path = '/extVirtualLinks/0/extCps/0/cpConfig/0/cpProtocolData/0/ipOverEthernet/ipAddresses/0/type';
    expect((await looked(asking, { networks: of('fd16::/64') })).warnings).toMatchObject({ invalidParams: [{ path }] });
  });

  it('is taken with both families in either order, for who needs none, and where no subnet is to be seen', async () => {
    for (const networks of [of('fd16::/64', '10.16.0.0/24'), of('10.16.0.0/24', 'fd16::/64'), of()])
      expect((await looked(asking, { networks, ipv4Cps: ['CP1'] })).warnings).toEqual([]);
    expect((await looked(plain, { networks: of('fd16::/64'), ipv4Cps: ['CP2'] })).warnings).toEqual([]);
  });
});
