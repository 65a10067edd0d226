import type { JsonObject } from '@windlass/foundation';
import type { Vnfc } from '@windlass/mgmt-driver';
import { describe, expect, it } from 'vitest';
import { HOST_KEYS_PARAM, withKnownHostKeys, wrongHostKeys } from './known-host-keys.js';

/** A public key as ssh-keygen writes it, whatever is in it. */
function publicKey(type: string, of: string, inside = type): string {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(inside.length);
  return `${type} ${Buffer.concat([length, Buffer.from(inside), Buffer.from(of)]).toString('base64')}`;
}

const ONE = publicKey('ssh-ed25519', 'one');
const TWO = publicKey('ecdsa-sha2-nistp256', 'two');
const root = `/additionalParams/${HOST_KEYS_PARAM}`;
const params = (keys: unknown): JsonObject => ({ [HOST_KEYS_PARAM]: keys as JsonObject });

describe('host keys of a request', () => {
  it.each([
    ['none', undefined],
    ['keys by VDU and address, with a comment', { VDU1: [ONE, `${TWO} root@host`], '10.0.0.5': [TWO], 'fd00::1': [ONE] }],
  ])('are taken: %s', (_what, keys) => expect(wrongHostKeys(keys === undefined ? {} : params(keys), ['VDU1'])).toEqual([]));

  it.each([
    ['no object', [ONE], root],
    ['a VDU that the flavour has not', { VDU9: [ONE] }, `${root}/VDU9`],
    ['a name with a slash', { 'a/b': [ONE] }, `${root}/a~1b`],
    ['no list', { VDU1: ONE }, `${root}/VDU1`],
    ['an empty list, which would trust anything', { VDU1: [] }, `${root}/VDU1`],
    ['more keys than anybody has', { VDU1: Array<string>(65).fill(ONE) }, `${root}/VDU1`],
    ['a number', { VDU1: [ONE, 7] }, `${root}/VDU1/1`],
    ['a fingerprint', { VDU1: ['SHA256:abc'] }, `${root}/VDU1/0`],
    ['a type that we can’t prove', { VDU1: [publicKey('ssh-dss', 'x')] }, `${root}/VDU1/0`],
    ['a key of another type inside', { VDU1: [publicKey('ssh-ed25519', 'x', 'ssh-rsa')] }, `${root}/VDU1/0`],
    ['a private key', { VDU1: ['-----BEGIN OPENSSH PRIVATE KEY-----'] }, `${root}/VDU1/0`],
    ['nothing after the type', { VDU1: ['ssh-ed25519'] }, `${root}/VDU1/0`],
  ])('are refused at their place: %s', (_what, keys, path) =>
    expect(wrongHostKeys(params(keys), ['VDU1']).map((fault) => fault.path)).toEqual([path]),
  );
});

describe('the host keys known of a machine', () => {
  const vnfc = (resourceId: string, more: Partial<Vnfc> = {}): Vnfc => ({
    id: `vnfc-${resourceId}`,
    vduId: 'VDU1',
    aspectId: null,
    memberName: null,
    resourceId,
    name: resourceId,
    createdAt: null,
    host: null,
    zone: null,
    cps: [{ cpdId: 'CP', resourceId: 'p', mac: null, addresses: ['10.0.0.5'], floatingIp: '192.0.2.5' }],
    ...more,
  });
  const keysOf = (found: Vnfc, before: Vnfc[], keys?: JsonObject): string[] | undefined =>
    withKnownHostKeys([found], { before, request: keys === undefined ? {} : { additionalParams: params(keys) } })[0]?.hostKeys;

  it('are the request’s for its address, else for its VDU, else its metadata’s', () => {
    const found = vnfc('new', { hostKeys: ['of-metadata x'] });
    expect(keysOf(found, [], { '192.0.2.5': [`${ONE} comment`], VDU1: [TWO] })).toEqual([ONE]);
    expect(keysOf(found, [], { '10.0.0.9': [ONE], VDU1: [TWO] })).toEqual([TWO]);
    expect(keysOf(found, [], { '10.0.0.9': [ONE] })).toEqual(['of-metadata x']);
    expect(keysOf(found, [])).toEqual(['of-metadata x']);
    expect(withKnownHostKeys([vnfc('new')], { before: [] })[0]).not.toHaveProperty('hostKeys');
  });

  it('stay as they were while it is there, and not when it is replaced', () => {
    const there = vnfc('same', { hostKeys: [ONE] });
    expect(keysOf(vnfc('same', { hostKeys: ['changed later'] }), [there], { VDU1: [TWO] })).toEqual([ONE]);
    expect(keysOf(vnfc('same', { hostKeys: ['set later'] }), [vnfc('same')])).toBeUndefined();
    expect(keysOf(vnfc('replaced'), [there])).toBeUndefined();
    expect(keysOf(vnfc('replaced'), [there], { VDU1: [TWO] })).toEqual([TWO]);
  });
});
