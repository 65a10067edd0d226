import type { ExtVirtualLinkData } from '@windlass/sol003';
import { describe, expect, it } from 'vitest';
import { connectivityChange } from './connectivity-change.js';

const link = (resourceId: string, cpdId: string, ...fixedAddresses: string[]): ExtVirtualLinkData => ({
  id: `link-${resourceId}`,
  resourceId,
  extCps: [
    {
      cpdId,
      cpConfig: [
        {
          cpProtocolData: [
            fixedAddresses.length === 0
              ? { layerProtocol: 'IP_OVER_ETHERNET' }
              : { layerProtocol: 'IP_OVER_ETHERNET', ipOverEthernet: { ipAddresses: [{ type: 'IPV4', fixedAddresses }] } },
          ],
        },
      ],
    },
  ],
});
const SHARED = [{ name: 'vip_CP', resourceId: 'port', addresses: ['10.10.0.9'], floatingIp: null }];
const moves = (before: ExtVirtualLinkData[], asked: ExtVirtualLinkData, params: { before?: object; asked?: object } = {}) =>
  connectivityChange(
    { extVirtualLinks: before, ...(params.before === undefined ? {} : { additionalParams: params.before }) } as never,
    { extVirtualLinks: [asked], ...(params.asked === undefined ? {} : { additionalParams: params.asked }) } as never,
    { vnfcs: [], sharedCps: SHARED },
  );

describe('what drivers are told of another connectivity', () => {
  it.each([
    ['the network that it has', [link('net0', 'vip_CP')], link('net0', 'vip_CP'), false],
    ['another network', [link('net0', 'vip_CP')], link('net1', 'vip_CP'), true],
    ['an address where the VIM chose one', [link('net0', 'vip_CP')], link('net0', 'vip_CP', '10.10.0.77'), true],
    ['the very address that the VIM chose', [link('net0', 'vip_CP')], link('net0', 'vip_CP', '10.10.0.9'), false],
    ['that address in another network', [link('net0', 'vip_CP')], link('net1', 'vip_CP', '10.10.0.9'), true],
    ['any address where it was given one', [link('net0', 'vip_CP', '10.10.0.9')], link('net0', 'vip_CP'), true],
    ['a network for the first time', [], link('net0', 'vip_CP'), true],
  ])('of a connection point that is asked for %s', (_title, before, asked, expected) => {
    expect(moves(before, asked).cps).toEqual([{ cpdId: 'vip_CP', moves: expected }]);
  });

  it('takes parameters into account, which go before links', () => {
    const params = { nfv: { CP: { vip_CP: { network: 'net7' } } } };
    const [before, asked] = [[link('net0', 'vip_CP')], link('net0', 'vip_CP')];
    expect(moves(before, asked, { asked: params }).cps[0]?.moves).toBe(true);
    expect(moves(before, asked, { before: params }).cps[0]?.moves).toBe(true);
  });

  it('has the networks of those that are not named, too', () => {
    expect(moves([link('net0', 'node_CP')], link('net1', 'vip_CP')).networks).toEqual({ node_CP: 'net0', vip_CP: 'net1' });
  });
});
