import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { dataRule } from '../contracts/contract.js';
import { KeyPair, publicKey } from './key-pair.js';
import { open, seal, sealedBoxSchema, sealWith, type SealedBox } from './sealed-box.js';

/** PKCS #8 of an X25519 private key: a fixed head (RFC 8410) and the 32 bytes. */
const pemOf = (hex: string): string => {
  const der = Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), Buffer.from(hex, 'hex')]);
  return `-----BEGIN PRIVATE KEY-----\n${der.toString('base64')}\n-----END PRIVATE KEY-----\n`;
};

/** Two private keys of our own making, for the vector below, which an implementation in another language (Python's cryptography) opened too. */
const EPHEMERAL = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';
const RECIPIENT = '202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f';

const recipient = KeyPair.fromPem(pemOf(RECIPIENT));
const secret = Buffer.from('{"password":"hunter2"}');

/** The box with one bit changed in one of its members. */
function flipped(box: SealedBox, member: 'epk' | 'ct', at: number): SealedBox {
  const bytes = Buffer.from(box[member], 'base64url');
  const index = at < 0 ? bytes.length + at : at;
  bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index);
  return { ...box, [member]: bytes.toString('base64url') };
}

describe('a sealed box', () => {
  it('opens for its recipient, with the same additional data', () => {
    const box = seal(recipient.public, secret, 'operation/step/3');
    expect(open(recipient, box, 'operation/step/3')).toEqual(secret);
    expect(dataRule(sealedBoxSchema).check(box).ok).toBe(true);
  });

  it('opens when it holds nothing, and when it holds much', () => {
    for (const text of [Buffer.alloc(0), Buffer.alloc(600_000, 7)])
      expect(open(recipient, seal(recipient.public, text, ''), '').equals(text)).toBe(true);
  });

  it('is the same in every release', () => {
    const ephemeral = KeyPair.fromPem(pemOf(EPHEMERAL));
    expect(recipient.public).toMatchInlineSnapshot(`
      {
        "id": "5_RYhfysTyU1BDBnv9LSpAGNHJ_A1_UesBCKoRG370E",
        "x": "NYBy1jZYgNGu6jKa35EhODhR7SGijjt16WXQ0s0WYlQ",
      }
    `);
    expect(sealWith(ephemeral, recipient.public, secret, 'operation/step/3')).toMatchInlineSnapshot(`
      {
        "ct": "_BiWl0m-zw_3NiLvzgSEp1F3lT0Qy4tDM0mlsHgxn386N6r8Mfc",
        "epk": "j0DFrbaPJWJK5bIU6nZ6bslNgp09e14a0bpvPiE4KF8",
        "kid": "5_RYhfysTyU1BDBnv9LSpAGNHJ_A1_UesBCKoRG370E",
        "v": 1,
      }
    `);
  });

  it('is another each time', () => {
    const boxes = [1, 2].map(() => seal(recipient.public, secret, ''));
    expect(new Set(boxes.map(({ epk }) => epk)).size).toBe(2);
    expect(new Set(boxes.map(({ ct }) => ct)).size).toBe(2);
  });

  it('does not open for anybody else', () => {
    const box = seal(recipient.public, secret, '');
    const other = KeyPair.generate();
    expect(() => open(other, box, '')).toThrow(expect.objectContaining({ code: 'sealing.other-recipient' }) as Error);
    expect(() => open(other, { ...box, kid: other.public.id }, '')).toThrow(
      expect.objectContaining({ code: 'sealing.broken' }) as Error,
    );
  });

  it('does not open elsewhere than where it belongs', () => {
    const box = seal(recipient.public, secret, 'operation/step/3');
    expect(() => open(recipient, box, 'operation/step/4')).toThrow(expect.objectContaining({ code: 'sealing.broken' }) as Error);
  });

  it.each([
    ['the ephemeral key', 'epk', 0],
    ['the first byte of the text', 'ct', 0],
    ['the last byte of the tag', 'ct', -1],
  ] as const)('does not open when %s was changed', (_, member, at) => {
    const box = seal(recipient.public, secret, 'aad');
    expect(() => open(recipient, flipped(box, member, at), 'aad')).toThrow(
      expect.objectContaining({ code: 'sealing.broken' }) as Error,
    );
  });

  it('does not open when it was cut, and its key must be one', () => {
    const box = seal(recipient.public, secret, '');
    expect(() => open(recipient, { ...box, ct: box.ct.slice(0, 8) }, '')).toThrow('malformed');
    expect(() => open(recipient, { ...box, ct: box.ct.slice(0, -4) }, '')).toThrow('does not open');
    expect(() => open(recipient, { ...box, epk: Buffer.alloc(32).toString('base64url') }, '')).toThrow('no shared secret');
    expect(() => open(recipient, { ...box, epk: 'short' }, '')).toThrow('not 32 bytes');
  });
});

describe('a key pair', () => {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-keys-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is made once in its file, which only its owner may read', () => {
    const file = join(folder, 'service.key');
    const made = KeyPair.inFile(file);
    expect(KeyPair.inFile(file).public).toEqual(made.public);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['service.key']);
  });

  it('is not written over one that another process made first', () => {
    const file = join(folder, 'race.key');
    const first = KeyPair.inFile(file);
    KeyPair.generate().write(file);
    expect(KeyPair.inFile(file).public).toEqual(first.public);
  });

  it('is refused where others may read its file', () => {
    const file = join(folder, 'open.key');
    KeyPair.inFile(file);
    chmodSync(file, 0o640);
    expect(() => KeyPair.inFile(file)).toThrow(expect.objectContaining({ code: 'sealing.key-exposed' }) as Error);
  });

  it('is refused when it is something else', () => {
    const file = join(folder, 'wrong.key');
    writeFileSync(file, 'garbage', { mode: 0o600 });
    expect(() => KeyPair.inFile(file)).toThrow(expect.objectContaining({ code: 'sealing.bad-key' }) as Error);
    const { privateKey } = generateKeyPairSync('ed25519');
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    expect(() => KeyPair.fromPem(pem)).toThrow('of type ed25519; expected x25519');
  });

  it('does not show its private half', () => {
    const pair = KeyPair.generate();
    const d = pair.privateKey.export({ format: 'jwk' }).d ?? '';
    expect(`${inspect(pair, { depth: 9, showHidden: true })}${JSON.stringify(pair)}`).not.toContain(d);
    expect(d).not.toBe('');
  });

  it('has the thumbprint of RFC 7638 and RFC 8037 as its id', () => {
    expect(publicKey(recipient.public.x)).toEqual(recipient.public);
    expect(() => publicKey('a'.repeat(44))).toThrow(expect.objectContaining({ code: 'sealing.bad-key' }) as Error);
  });
});
