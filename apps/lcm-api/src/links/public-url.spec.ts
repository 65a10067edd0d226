import { readConfig } from '@windlass/service-kit';
import { describe, expect, it } from 'vitest';
import { LcmApiConfig } from '../config.js';
import { PublicUrl } from './public-url.js';

const given = {
  NATS_URL: 'nats://localhost:4222',
  DATABASE_URL: 'postgres://a:b@localhost/c',
  MASTER_KEY: 'ab'.repeat(32),
  LCM_TOKEN: 'a-token-long-enough',
};
const configured = (url: string) => readConfig(LcmApiConfig, { ...given, WINDLASS_PUBLIC_URL: url }).publicUrl;

describe('the public URL', () => {
  it.each([
    ['https://vnfm.example', 'https://vnfm.example'],
    ['https://vnfm.example/', 'https://vnfm.example'],
    ['http://[2001:db8::1]:9890', 'http://[2001:db8::1]:9890'],
    ['HTTPS://VNFM.example:443/nfv/vnfm//', 'https://vnfm.example/nfv/vnfm'],
  ])('is read from the configuration: %s', (text, url) => expect(configured(text)).toBe(url));

  it.each([
    'vnfm.example',
    'vnfm.example:9890',
    '//vnfm.example',
    'ftp://vnfm.example',
    'javascript:alert(1)',
    'https://',
    'https://user:pw@vnfm.example',
    'https://vnfm.example/?a=b',
    'https://vnfm.example/#a',
    'https://vnfm.example/a b',
  ])('that is none is an error at the start: %s', (text) => {
    expect(() => configured(text)).toThrow(/WINDLASS_PUBLIC_URL.*expected an http or https URL/);
  });

  it('is not given by its former name, which is an error and not passed by', () => {
    const environment = { ...given, LCM_ENDPOINT: 'https://vnfm.example' };
    expect(() => readConfig(LcmApiConfig, environment)).toThrow(/LCM_ENDPOINT.*give WINDLASS_PUBLIC_URL instead/);
  });

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:9890', false],
    ['::1', 'http://[::1]:9890', false],
    ['vnfm', 'http://vnfm:9890', false],
    ['0.0.0.0', 'http://127.0.0.1:9890', true],
    ['::', 'http://[::1]:9890', true],
  ])('that nobody gave is where the API listens: %s', (host, root, guessed) => {
    const url = new PublicUrl(undefined);
    expect(() => url.root).toThrow('before the API listened');
    expect(url.listensOn(host, 9890)).toBe(guessed);
    expect(url.of('/vnflcm/v1')).toBe(`${root}/vnflcm/v1`);
    expect(url.pathOf('/vnflcm/v1')).toBe('/vnflcm/v1');
  });

  it('that was given counts wherever the API listens, with its path', () => {
    const url = new PublicUrl('https://vnfm.example/nfv');
    expect(url.listensOn('0.0.0.0', 9890)).toBe(false);
    expect(url.of('/vnflcm/v1')).toBe('https://vnfm.example/nfv/vnflcm/v1');
    expect(url.pathOf('/vnflcm/v1')).toBe('/nfv/vnflcm/v1');
  });
});
