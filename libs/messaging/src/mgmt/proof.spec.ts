import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KeyPair } from '../sealing/key-pair.js';
import { isSameProof, ProofKeys, proofOfAnnouncement, proofOfAnswer } from './proof.js';

const PKCS8_PREFIX = '302e020100300506032b656e04220420';
const keyOf = (first: number): KeyPair => {
  const bytes = Buffer.from(Array.from({ length: 32 }, (_, index) => first + index));
  const der = Buffer.concat([Buffer.from(PKCS8_PREFIX, 'hex'), bytes]);
  return KeyPair.fromPem(`-----BEGIN PRIVATE KEY-----\n${der.toString('base64')}\n-----END PRIVATE KEY-----\n`);
};
const [driver, core] = [keyOf(0x00), keyOf(0x20)];
const secret = new ProofKeys('driver').of(driver, core.public.x);
const answer = {
  subject: 'windlass.mgmt.example.plan',
  nonce: 'n'.repeat(43),
  request: Buffer.from('{"v":1}'),
  body: '{"reply":{}}',
};
const announcement = { number: 7, body: '{"contract":2}' };

describe('the proof of a driver', () => {
  it('is found by the other side with its own private key', () => {
    expect(new ProofKeys('core').of(core, driver.public.x)).toEqual(secret);
    expect(new ProofKeys('driver').of(core, driver.public.x)).not.toEqual(secret);
  });

  it('is the same in every release, and as the contract shows it to drivers in other languages', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/contracts/mgmt-driver.md'), 'utf8');
    expect(secret.toString('hex')).toMatchInlineSnapshot(`"c8af1e1bae09870076e064265d43c031a629edff4a03c1e230977c9dee9c4235"`);
    expect(proofOfAnswer(secret, answer)).toMatchInlineSnapshot(`"FmzxChOhzZ1c7zoFEg686I6eCeyh9W252aFHWsvupmQ"`);
    expect(proofOfAnnouncement(secret, announcement)).toMatchInlineSnapshot(`"5FXff9TgMInkwRVZXeAzbupriOYg4PTA6yx8penG7sI"`);
    for (const shown of [
      secret.toString('base64url'),
      createHash('sha256').update(answer.request).digest('base64url'),
      proofOfAnswer(secret, answer),
      proofOfAnnouncement(secret, announcement),
    ])
      expect(page).toContain(shown);
  });

  it.each([
    { subject: 'windlass.mgmt.example.validate' },
    { nonce: 'm'.repeat(43) },
    { request: Buffer.from('{"v":2}') },
    { body: '{"reply":{} }' },
  ])('holds for nothing but its words: not with %j', (changed) => {
    expect(isSameProof(proofOfAnswer(secret, answer), proofOfAnswer(secret, { ...answer, ...changed }))).toBe(false);
  });

  it('of an answer is none of an announcement, and each number has its own', () => {
    const proofs = [announcement, { ...announcement, number: 8 }].map((words) => proofOfAnnouncement(secret, words));
    expect(new Set([...proofs, proofOfAnswer(secret, answer)]).size).toBe(3);
    expect(isSameProof('', proofs[0]!)).toBe(false);
  });

  it('is refused to a key that would give a secret that all know', () => {
    expect(() => new ProofKeys('driver').of(driver, Buffer.alloc(32).toString('base64url'))).toThrow(/no shared secret/);
  });
});
