import { chmodSync } from 'node:fs';
import { testCertificates, testFolder } from '@windlass/embedded/testing';
import { readConfig } from '@windlass/service-kit';
import { afterAll, describe, expect, it } from 'vitest';
import { NfvoConfig, nfvoOf } from './nfvo-config.js';

const folder = testFolder();
afterAll(() => folder.remove());

const given = { NATS_URL: 'nats://127.0.0.1:4222', DATABASE_URL: 'postgres://u:p@127.0.0.1/w', MASTER_KEY: 'ab'.repeat(32) };
const nfvo = (environment: Record<string, string>) => nfvoOf(readConfig(NfvoConfig, { ...given, ...environment }));
const PLACES = { NFVO_URL: 'https://nfvo.example', WINDLASS_PUBLIC_URL: 'https://vnfm.example' };
const LOGIN = { NFVO_USER: 'windlass', NFVO_PASSWORD: 'a-password' };

describe('an NFVO', () => {
  it('is asked only where one is configured, by BASIC or with tokens of OAuth 2.0', () => {
    expect(nfvo({})).toBeUndefined();
    expect(nfvo(PLACES)).not.toHaveProperty('auth');
    expect(nfvo({ ...PLACES, ...LOGIN })?.auth).toMatchObject({ kind: 'basic', userName: 'windlass' });
    const tokens = { NFVO_TOKEN_URL: 'https://nfvo.example/token' };
    expect(nfvo({ ...PLACES, ...LOGIN, ...tokens })?.auth).toMatchObject({ kind: 'oauth2', clientId: 'windlass' });
  });

  it.each([
    [{ NFVO_URL: PLACES.NFVO_URL }, 'WINDLASS_PUBLIC_URL'],
    [{ ...PLACES, NFVO_USER: 'windlass' }, 'NFVO_USER and NFVO_PASSWORD'],
    [{ ...PLACES, NFVO_TOKEN_URL: 'https://nfvo.example/token' }, 'NFVO_TOKEN_URL is given without NFVO_USER'],
    [{ ...PLACES, NFVO_CA_FILE: '/nowhere/ca.pem' }, 'NFVO_CA_FILE names /nowhere/ca.pem'],
  ] as [Record<string, string>, string][])('says what is missing: %j', (environment, said) => {
    expect(() => nfvo(environment)).toThrow(said);
  });

  it('is shown a certificate whose key nobody else may read', () => {
    const own = testCertificates(folder.path, 'vnfm');
    const files = { ...PLACES, NFVO_CERT_FILE: own.at('client.pem'), NFVO_KEY_FILE: own.at('client.key') };
    expect(nfvo(files)?.tls).toEqual({ certFile: own.at('client.pem'), keyFile: own.at('client.key') });
    chmodSync(own.at('client.key'), 0o644);
    expect(() => nfvo(files)).toThrow('others may read');
  });
});
