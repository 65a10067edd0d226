import { expect, test } from 'vitest';
import { labIdentity } from './lab-identity.js';
import { guestLinks, overlaps } from './network.js';

test.each([
  ['10.77.3.0/24', '10.77.3.1', true],
  ['10.77.3.0/24', '10.77.0.0/16', true],
  ['10.77.3.0/24', '10.77.4.0/24', false],
  ['0.0.0.0/0', '192.168.0.0/16', true],
  ['200.1.0.0/16', '200.1.255.255/32', true],
])('whether %s and %s have an address in common: %s', (a, b, common) => {
  expect(overlaps(a, b)).toBe(common);
  expect(overlaps(b, a)).toBe(common);
});

const nic = { mac: 'fa:16:3e:00:00:01', address: '10.77.3.10', prefixLength: 24, allowedAddresses: [] };

test("a VM's cards are set up in their order, with one way out", () => {
  expect(
    guestLinks([nic, { ...nic, address: '10.77.3.11' }], '10.77.3.1')
      .trim()
      .split('\n'),
  ).toEqual([
    'link set lo up',
    'addr add 10.77.3.10/24 brd + dev eth0',
    'link set eth0 up',
    'addr add 10.77.3.11/24 brd + dev eth1',
    'link set eth1 up',
    'route add default via 10.77.3.1',
  ]);
});

test.each([{ mac: 'fa:16:3e:00:00:1' }, { address: '10.77.3.10 dev eth0\nlink del eth1' }, { prefixLength: 33 }])(
  'a card that would say something else to ip(8) is refused: %j',
  (wrong) => {
    expect(() => guestLinks([{ ...nic, ...wrong }], '10.77.3.1')).toThrow(/a nic needs/);
  },
);

test("a lab's names come from its data folder and fit the kernel's fifteen characters", () => {
  const [one, again, other] = ['/srv/one', '/srv/one', '/srv/other'].map(labIdentity);
  expect(one).toEqual(again);
  expect(other?.id).not.toBe(one?.id);
  expect(`${one?.linkPrefix ?? ''}zzzz`.length).toBeLessThanOrEqual(15);
  expect(one?.bridgeMac).toMatch(/^02:77(:[0-9a-f]{2}){4}$/);
});
