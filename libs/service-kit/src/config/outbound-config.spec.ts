import { chmodSync } from 'node:fs';
import { inspect } from 'node:util';
import { testCertificates, testFolder } from '@windlass/embedded/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { outboundOf, OutboundServiceConfig } from './outbound-config.js';
import { ConfigError, readConfig } from './read-config.js';

const folder = testFolder();
afterAll(() => folder.remove());

const given = { NATS_URL: 'nats://127.0.0.1:4222', DATABASE_URL: 'postgres://u:p@127.0.0.1/w', MASTER_KEY: 'ab'.repeat(32) };
const outbound = (environment: Record<string, string>) =>
  outboundOf(readConfig(OutboundServiceConfig, { ...given, ...environment }));

describe('connections out', () => {
  it('go to private networks and to nothing that is refused, unless more is set', () => {
    expect(outbound({}).rules).toEqual({ allow: [], deny: [], only: [], privateNetworks: true });
    const set = {
      OUTBOUND_ALLOW: '127.0.0.1, ::1',
      OUTBOUND_DENY: '*.bad.example,10.0.0.0/8',
      OUTBOUND_ONLY: 'a',
      OUTBOUND_PRIVATE: 'false',
    };
    const rules = { allow: ['127.0.0.1', '::1'], deny: ['*.bad.example', '10.0.0.0/8'], only: ['a'], privateNetworks: false };
    expect(outbound(set).rules).toEqual(rules);
  });

  it.each([
    ['OUTBOUND_ALLOW', 'localhost'],
    ['OUTBOUND_DENY', 'http://x'],
    ['OUTBOUND_ONLY', '10.0.0.0/40'],
    ['OUTBOUND_PRIVATE', 'no'],
    ['OUTBOUND_PROXY', 'p.example:3128'],
    ['OUTBOUND_PROXY', 'socks5://ann:hunter2@p.example'],
    ['OUTBOUND_NO_PROXY', 'http://x'],
  ])('refuse %s=%s', (name, text) => {
    expect(() => outbound({ [name]: text })).toThrow(ConfigError);
  });

  it('go by no proxy unless OUTBOUND_PROXY names it, whatever http_proxy says; its login is shown nowhere', () => {
    expect(outbound({ http_proxy: 'http://p.example:3128', HTTPS_PROXY: 'http://p.example:3128' }).proxy).toBeUndefined();
    const set = { OUTBOUND_PROXY: 'http://ann:hunter2@p.example:3128', OUTBOUND_NO_PROXY: '10.0.0.0/8, nfvo.example' };
    const { proxy } = outbound(set);
    expect(proxy?.named).toBe('http://p.example:3128');
    expect(proxy?.serves({ host: 'nfvo.example', port: 443 })).toBe(false);
    expect(proxy?.serves({ host: '10.9.9.9', port: 443 })).toBe(false);
    expect(proxy?.serves({ host: 'other.example', port: 443 })).toBe(true);
    expect(inspect(outbound(set), { depth: 9 })).not.toContain('hunter2');
    expect(() => outbound({ OUTBOUND_PROXY: 'socks5://ann:hunter2@p.example' })).toThrow(
      expect.not.stringContaining('hunter2') as never,
    );
  });

  it('take certificate and key that belong together, and say which file is of no use', () => {
    const [one, two] = [testCertificates(`${folder.path}/1`, 'one'), testCertificates(`${folder.path}/2`, 'two')];
    const files = {
      OUTBOUND_CA_FILE: one.at('ca.pem'),
      OUTBOUND_CERT_FILE: one.at('client.pem'),
      OUTBOUND_KEY_FILE: one.at('client.key'),
    };
    expect(outbound(files).tls).toEqual({
      caFile: one.at('ca.pem'),
      certFile: one.at('client.pem'),
      keyFile: one.at('client.key'),
    });
    expect(() => outbound({ ...files, OUTBOUND_KEY_FILE: two.at('client.key') })).toThrow('belong together');
    expect(() => outbound({ OUTBOUND_CERT_FILE: one.at('client.pem') })).toThrow('expected both');
    chmodSync(one.at('client.key'), 0o644);
    expect(() => outbound(files)).toThrow('others may read');
    chmodSync(one.at('client.key'), 0o600);
    expect(() => outbound({ OUTBOUND_CA_FILE: one.at('client.key') })).toThrow('OUTBOUND_CA_FILE names');
  });
});
