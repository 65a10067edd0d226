import type { JsonObject } from '@windlass/foundation';
import type { AskedOfVim, AskedServer } from '@windlass/lifecycle';
import type { VimNetworksReply } from '@windlass/messaging';
import { describe, expect, it } from 'vitest';
import { namesAskedFor, serverFaults } from './server-checks.js';

const server = (more: Partial<AskedServer> = {}): AskedServer => ({
  name: 'VDU1',
  flavor: 'm1.tiny',
  fromVolume: false,
  ...more,
});
const tiny = { name: 'm1.tiny', has: { diskGiB: 1, ramMiB: 512 } };
const faults = (asked: Partial<AskedOfVim>, reply: Partial<VimNetworksReply>, request: JsonObject = {}) =>
  serverFaults({ servers: [], floating: [], ...asked }, { networks: [], unanswered: null, ...reply }, request);
const saying = (text: string): string => expect.stringContaining(text) as string;

describe('a flavor that a server is to have', () => {
  it('is asked for once, with the images that the VIM has to have, and nothing is asked for of which there is none', () => {
    const carried = { minDiskGiB: 2, minRamMiB: 0 };
    const servers = [server({ image: 'cirros' }), server({ name: 'VDU2', image: 'own', carried })];
    expect(namesAskedFor({ servers, floating: [] })).toEqual({ flavors: ['m1.tiny'], images: ['cirros'] });
    expect(namesAskedFor({ servers: [], floating: [] })).toEqual({});
  });

  it('is told where the VIM has none of that name, at the field of the request that names it', () => {
    const asked = { servers: [server({ flavor: 'm9.odd' })] };
    const request = { additionalParams: { nfv: { VDU: { VDU1: { flavor: 'm9.odd' } } } } };
    expect(faults(asked, { flavors: [{ name: 'm9.odd' }] }, request)).toEqual([
      { path: '/additionalParams/nfv/VDU/VDU1/flavor', reason: saying('no flavor m9.odd') },
    ]);
    expect(faults(asked, { flavors: [{ name: 'm9.odd' }] })).toEqual([{ reason: saying('no flavor m9.odd') }]);
  });

  it.each<[string, Partial<AskedServer>, Partial<VimNetworksReply>, string | undefined]>([
    ['carried', { image: 'own', carried: { minDiskGiB: 2, minRamMiB: 0 } }, {}, '2 GiB of disk (min_disk), and the flavor'],
    ['of the VIM', { image: 'c' }, { images: [{ name: 'c', minDiskGiB: 0, minRamMiB: 1_024 }] }, '1024 MiB of memory (min_ram)'],
    ['that fits exactly', { image: 'own', carried: { minDiskGiB: 1, minRamMiB: 512 } }, {}, undefined],
    ['of a volume', { image: 'own', carried: { minDiskGiB: 2, minRamMiB: 0 }, fromVolume: true }, {}, undefined],
    ['that the VIM has not', { image: 'c' }, { images: [] }, undefined],
  ])('is held against an image %s', (_what, more, reply, expected) => {
    const told = faults({ servers: [server(more)] }, { flavors: [tiny], ...reply });
    expect(told).toEqual(expected === undefined ? [] : [{ reason: saying(expected) }]);
  });

  it('whose disk is 0 is too small for an image with a min_disk, as Heat has it', () => {
    const asked = { servers: [server({ image: 'own', carried: { minDiskGiB: 1, minRamMiB: 0 } })] };
    expect(faults(asked, { flavors: [{ name: 'm1.tiny', has: { diskGiB: 0, ramMiB: 512 } }] })).toHaveLength(1);
  });

  it('of which the VIM says nothing is no fault', () => {
    expect(faults({ servers: [server({ flavor: 'm9.odd' })] }, { unseen: 'Nova is away' })).toEqual([]);
  });
});

describe('a network that floating IPs are to come from', () => {
  const asked = { floating: [{ name: 'public', of: ['fip'] }] };
  it.each([
    [{ name: 'public', found: 0 }, 'no network public'],
    [{ name: 'public', found: 2 }, '2 networks'],
    [{ name: 'public', found: 1, external: false }, 'is not external'],
  ])('is told where no floating IP can be had from it (%o)', (network, reason) => {
    expect(faults(asked, { floating: [network] }, { additionalParams: { ext: 'public' } })).toEqual([
      { path: '/additionalParams/ext', reason: saying(reason) },
    ]);
  });

  it('is right where it is external', () => {
    expect(faults(asked, { floating: [{ name: 'public', found: 1, external: true }] })).toEqual([]);
  });
});
