import fc from 'fast-check';
import { isIP } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ClientAddresses, noProxies, readProxies, type ProxyHeader } from './client-address.js';

const TRUSTED = ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'];

const from = (peer: string | undefined, headers: Record<string, string | string[]>, header: ProxyHeader = 'x-forwarded-for') =>
  new ClientAddresses({ addresses: TRUSTED, header }).of({ socket: { remoteAddress: peer }, headers });

const via = (forwardedFor: string, peer = '10.0.0.1') => from(peer, { 'x-forwarded-for': forwardedFor });
const forwarded = (text: string, peer = '10.0.0.1') => from(peer, { forwarded: text }, 'forwarded');

describe('where a request comes from', () => {
  it('is its peer where no proxy is trusted, or this peer is none of them, whatever it says', () => {
    const request = {
      socket: { remoteAddress: '192.0.2.1' },
      headers: { 'x-forwarded-for': '10.0.0.7', forwarded: 'for=10.0.0.7' },
    };
    expect(new ClientAddresses(noProxies).of(request)).toBe('192.0.2.1');
    expect(via('203.0.113.5', '192.0.2.1')).toBe('192.0.2.1');
    expect(forwarded('for=203.0.113.5', '192.0.2.1')).toBe('192.0.2.1');
    expect(from(undefined, { 'x-forwarded-for': '203.0.113.5' })).toBeNull();
  });

  it.each([
    ['203.0.113.5', '203.0.113.5'],
    ['203.0.113.5:4711', '203.0.113.5'],
    ['[2001:DB8::0:1]:4711', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['::ffff:203.0.113.5', '203.0.113.5'],
    ['203.0.113.5, 10.0.0.9, 10.0.0.8', '203.0.113.5'],
    // What the client itself sent stands on the left, and is not believed.
    ['127.0.0.1, 203.0.113.5', '203.0.113.5'],
    ['1.1.1.1, 203.0.113.5, 10.0.0.9', '203.0.113.5'],
    ['fd00::5, 203.0.113.5', '203.0.113.5'],
    // All are proxies: the first of them asks.
    ['10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['', '10.0.0.1'],
    ['unknown', '10.0.0.1'],
    ['203.0.113.5, nonsense', '10.0.0.1'],
    ['203.0.113.5, nonsense, 10.0.0.9', '10.0.0.9'],
    ['203.0.113.5,', '10.0.0.1'],
    ['203.0.113.300', '10.0.0.1'],
    ['fe80::1%eth0', '10.0.0.1'],
    ['[203.0.113.5]', '10.0.0.1'],
    [`${'1.1.1.1, '.repeat(1_000)}203.0.113.5`, '10.0.0.1'],
  ])('behind a trusted proxy that says X-Forwarded-For: %s', (header, client) => expect(via(header)).toBe(client));

  it.each([
    ['for=203.0.113.5', '203.0.113.5'],
    ['For="203.0.113.5:4711";proto=https;by=10.0.0.1', '203.0.113.5'],
    ['for="[2001:db8::1]:4711"', '2001:db8::1'],
    ['for=1.1.1.1, for=203.0.113.5;proto=http , for=10.0.0.9', '203.0.113.5'],
    ['for="1.1.1.1, for=2.2.2.2", for=203.0.113.5', '203.0.113.5'],
    ['for=unknown', '10.0.0.1'],
    ['for=_hidden', '10.0.0.1'],
    ['for=203.0.113.5;for=1.1.1.1', '10.0.0.1'],
    ['proto=https', '10.0.0.1'],
    ['for=2001:db8::1', '10.0.0.1'],
    ['for="2001:db8::1"', '10.0.0.1'],
    ['for="203.0.113.5', '10.0.0.1'],
    ['"; for=203.0.113.5', '10.0.0.1'],
    ['for=203.0.113.5, "', '10.0.0.1'],
  ])('behind a trusted proxy that says Forwarded: %s', (header, client) => expect(forwarded(header)).toBe(client));

  it('is read of the one header that proxies set, and the other is a client’s own', () => {
    const both = { 'x-forwarded-for': '203.0.113.5', forwarded: 'for=198.51.100.9' };
    expect(from('10.0.0.1', both)).toBe('203.0.113.5');
    expect(from('10.0.0.1', both, 'forwarded')).toBe('198.51.100.9');
    expect(from('10.0.0.1', { forwarded: 'for=198.51.100.9' })).toBe('10.0.0.1');
  });

  it('knows a trusted peer in the spelling of IPv6', () => {
    expect(via('203.0.113.5', '::ffff:127.0.0.1')).toBe('203.0.113.5');
    expect(via('203.0.113.5', '::ffff:192.0.2.1')).toBe('192.0.2.1');
    expect(via('203.0.113.5', 'fd00::7')).toBe('203.0.113.5');
  });

  it('is always an address, and never one that only a client said, whatever it sends', () => {
    const junk = fc.oneof(
      fc.string(),
      fc.ipV4(),
      fc.ipV6(),
      fc.constantFrom('for=', '"', ',', ';', '[', ']', ':', '\\', '=', '127.0.0.1', 'unknown'),
    );
    const sent = fc
      .array(junk, { maxLength: 8 })
      .chain((parts) => fc.constantFrom(parts.join(''), parts.join(', '), `for=${parts.join(';')}`));
    fc.assert(
      fc.property(sent, (header) => {
        // The trusted proxy adds whom it talks to at the end, as it must.
        expect(via(`${header}, 203.0.113.5`)).toBe('203.0.113.5');
        expect(via(header, '192.0.2.1')).toBe('192.0.2.1');
        for (const client of [via(header), forwarded(header)]) expect(isIP(client ?? '')).not.toBe(0);
        // An open quotation mark may swallow what the proxy added; then the proxy is named, not what it did not say.
        expect(['203.0.113.5', '10.0.0.1']).toContain(forwarded(`${header}, for=203.0.113.5`));
      }),
    );
  });
});

describe('a list of trusted proxies', () => {
  it.each(['127.0.0.1', '10.0.0.0/8, fd00::/8', '::1 192.0.2.7'])('may be %s', (text) => expect(readProxies(text)).toBeDefined());
  it.each(['', '*', 'proxy.example', '10.0.0.0/33', '0.0.0.0/0', '::/0', '10.0.0.0/8/8', '10.0.0.0/-1', 'loopback'])(
    'may not be %j',
    (text) => expect(readProxies(text)).toBeUndefined(),
  );
});
