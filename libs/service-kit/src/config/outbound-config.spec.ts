import { chmodSync } from 'node:fs';
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
  ])('refuse %s=%s', (name, text) => {
    expect(() => outbound({ [name]: text })).toThrow(ConfigError);
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
