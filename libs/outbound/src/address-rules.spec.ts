import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AddressRules, defaultOutboundRules, type OutboundRules } from './address-rules.js';
import { isOutboundRule } from './rule-list.js';

const at = (host: string, port = 443) => ({ host, port });
const rules = (change: Partial<OutboundRules> = {}) => new AddressRules({ ...defaultOutboundRules, ...change });

const REFUSED = {
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  'link-local, where metadata lives': ['169.254.169.254', '169.254.0.1', 'fe80::1', 'fe80::1%eth0'],
  'metadata elsewhere': ['168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'],
  'multicast and broadcast': ['224.0.0.1', '239.255.255.255', 'ff02::1', '255.255.255.255'],
  reserved: ['240.0.0.1', '192.0.2.1', '198.18.0.1', '2001:db8::1', 'fec0::1', '100::1'],
  'IPv4 inside IPv6': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:169.254.169.254',
    '::127.0.0.1',
    '::7f00:1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::7f00:1',
    '::ffff:0:127.0.0.1',
    '2002:7f00:1::1',
    '2001:0:7f00:1::1',
  ],
  'what is no address': ['', 'localhost', '127.1', '0x7f000001', '2130706433'],
};

describe('an address that a connection would go to', () => {
  for (const [kind, addresses] of Object.entries(REFUSED)) {
    it(`is refused: ${kind}`, () => {
      for (const address of addresses) expect([address, rules().permits(address, at('example.com'))]).toEqual([address, false]);
    });
  }

  it('is permitted where it is public, or private and nobody forbids that', () => {
    for (const address of ['93.184.215.14', '2606:2800:21f:cb07::1', '::ffff:93.184.215.14', '64:ff9b::93.184.215.14'])
      expect([address, rules({ privateNetworks: false }).permits(address, at('h'))]).toEqual([address, true]);
    for (const address of [
      '10.0.0.1',
      '172.16.0.1',
      '192.168.1.1',
      '100.64.0.1',
      'fd12::1',
      '::ffff:10.0.0.1',
      '64:ff9b::10.0.0.1',
    ]) {
      expect([address, rules().permits(address, at('h'))]).toEqual([address, true]);
      expect([address, rules({ privateNetworks: false }).permits(address, at('h'))]).toEqual([address, false]);
    }
  });

  it('is permitted by an address or a range that is allowed, and by no host name', () => {
    expect(rules({ allow: ['127.0.0.0/8'] }).permits('127.0.0.1', at('localhost'))).toBe(true);
    expect(rules({ allow: ['127.0.0.0/8'] }).permits('::ffff:127.0.0.1', at('localhost'))).toBe(true);
    expect(rules({ allow: ['127.0.0.0/8'] }).permits('::1', at('localhost'))).toBe(false);
    expect(rules({ allow: ['localhost'] }).permits('127.0.0.1', at('localhost'))).toBe(false);
    expect(isOutboundRule('localhost', 'without hosts')).toBe(false);
  });

  it('is refused where it or its host is denied, whatever else is allowed', () => {
    const denying = rules({ allow: ['10.0.0.0/8'], deny: ['10.1.0.0/16', 'Bad.example', '*.worse.example'] });
    expect(denying.permits('10.1.2.3', at('h'))).toBe(false);
    expect(denying.permits('::ffff:10.1.2.3', at('h'))).toBe(false);
    expect(denying.permits('64:ff9b::10.1.2.3', at('h'))).toBe(false);
    expect(denying.permits('10.2.0.1', at('bad.EXAMPLE.'))).toBe(false);
    expect(denying.permits('10.2.0.1', at('x.worse.example'))).toBe(false);
    expect(denying.permits('10.2.0.1', at('good.example'))).toBe(true);
  });

  it('is refused beside a list that alone is spoken to', () => {
    const only = rules({ only: ['nfvo.example', '10.5.0.0/16'] });
    expect(only.permits('10.9.0.1', at('nfvo.example'))).toBe(true);
    expect(only.permits('10.5.0.1', at('other.example'))).toBe(true);
    expect(only.permits('10.9.0.1', at('other.example'))).toBe(false);
    expect(only.permits('127.0.0.1', at('nfvo.example'))).toBe(false);
  });

  it('is permitted at the port alone that the rule names', () => {
    const lab = rules({ allow: ['127.0.0.1:5000', '[::1]:5000'], deny: ['nfvo.example:22', '10.0.0.9:22'] });
    expect(lab.permits('127.0.0.1', at('127.0.0.1', 5000))).toBe(true);
    expect(lab.permits('127.0.0.1', at('127.0.0.1', 5432))).toBe(false);
    expect(lab.permits('127.0.0.2', at('127.0.0.2', 5000))).toBe(false);
    expect(lab.permits('::1', at('::1', 5000))).toBe(true);
    expect(lab.permits('::1', at('::1', 4222))).toBe(false);
    expect(lab.permits('10.0.0.8', at('nfvo.example', 22))).toBe(false);
    expect(lab.permits('10.0.0.8', at('nfvo.example', 443))).toBe(true);
    expect(lab.permits('10.0.0.9', at('other.example', 22))).toBe(false);
    expect(lab.permits('10.0.0.9', at('other.example', 443))).toBe(true);
    expect(rules({ only: ['10.0.0.9:443'] }).permits('10.0.0.9', at('h', 22))).toBe(false);
  });

  it('is decided the same however an IPv4 address is written inside IPv6', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const plain = rules().permits(address, at('h'));
        const hex = address.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
        const low = `${hex[0] ?? ''}${hex[1] ?? ''}:${hex[2] ?? ''}${hex[3] ?? ''}`;
        for (const spelt of [`::ffff:${address}`, `::ffff:${low}`, `0:0:0:0:0:FFFF:${low}`, `64:ff9b::${low}`])
          expect([spelt, rules().permits(spelt, at('h'))]).toEqual([spelt, plain]);
      }),
    );
  });
});

describe('a rule', () => {
  it('is an address, a CIDR or a host name, with a port perhaps, and nothing else', () => {
    for (const good of [
      '10.0.0.1',
      '10.0.0.0/8',
      '::1',
      'fd00::/8',
      'a',
      'nfvo.example',
      '*.example',
      'a:1',
      '10.0.0.1:65535',
      '[::1]:5000',
    ])
      expect([good, isOutboundRule(good, 'with hosts')]).toEqual([good, true]);
    for (const bad of [
      '',
      '10.0.0',
      '10.0.0.0/33',
      'http://x',
      'a b',
      '*',
      '*.*',
      '1.2.3.4.5',
      'fd00::/129',
      'a:0',
      'a:65536',
      '10.0.0.1:',
      ':5000',
      '[10.0.0.1]:5000',
      '10.0.0.0/8:22',
    ])
      expect([bad, isOutboundRule(bad, 'with hosts')]).toEqual([bad, false]);
    expect(() => rules({ deny: ['a b'] })).toThrow('"a b" is no address');
  });
});
