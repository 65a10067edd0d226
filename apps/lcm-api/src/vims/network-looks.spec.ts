import { TerminalError, TransientError, type JsonObject } from '@windlass/foundation';
import type { VimNetwork } from '@windlass/messaging';
import type { KeptRange } from '@windlass/mgmt-driver';
import { describe, expect, it } from 'vitest';
import { NetworkLooks } from './network-looks.js';

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
    by = 'coordinator',
    fails,
  }: { networks?: VimNetwork[]; ranges?: KeptRange[]; by?: Granter; fails?: Error },
) {
  const asked: string[][] = [];
  const vims = {
    networks: ({ names }: { names: string[] }) => {
      asked.push(names);
      return fails === undefined ? Promise.resolve({ networks, unanswered: null }) : Promise.reject(fails);
    },
  };
  const looks = new NetworkLooks(vims, () => Promise.resolve(by === 'nobody' ? undefined : by));
  const question = { tenant: TENANT, vimId: 'vim', request: request as JsonObject, ranges };
  const warnings = await looks.lookedAt(question).catch((error: unknown) => error as { invalidParams: unknown });
  return { asked, warnings };
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
