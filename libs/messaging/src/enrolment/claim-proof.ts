import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { InvariantError } from '@windlass/foundation';
import type { SealedBox } from '../sealing/sealed-box.js';

/** What a claim is: one step, in the hands of one key, from one epoch on. */
export interface ClaimIdentity {
  operationId: string;
  stepId: string;
  /** The claim's own, not the doorbell's. */
  epoch: number;
  service: string;
  keyId: string;
}

/** What a proof speaks of: a renewal, or a result by its sealed box. */
export type Proven = 'renew' | SealedBox;

/**
 * A proof by whoever opened the claim, that a renewal or a result is theirs. It holds for this claim and these words only, so it may travel in
 * the clear. The secret came with the claim, base64url.
 */
export function proofOf(secret: string, proven: Proven): string {
  const words = proven === 'renew' ? 'windlass renew' : `windlass result ${proven.kid} ${proven.epk} ${proven.ct}`;
  return createHmac('sha256', Buffer.from(secret, 'base64url')).update(words).digest('base64url');
}

/** The coordinators' end: secrets of claims are derived from the master key, so any coordinator knows them and none keeps them. */
export class ClaimSecrets {
  readonly #keys: readonly Buffer[];

  /** @param masterKeys the newest first; claims granted under an older one still hold. */
  constructor(masterKeys: readonly Buffer[]) {
    this.#keys = masterKeys.map((key) => Buffer.from(hkdfSync('sha256', key, '', 'windlass claim secrets 1', 32)));
  }

  /** What the holder of this claim, and nobody else, is told. */
  of(claim: ClaimIdentity): string {
    const [newest] = this.#keys;
    if (newest === undefined) throw new InvariantError('core services need a master key');
    return secretOf(newest, claim);
  }

  /** Whether the words are those of the claim's holder. */
  proves(claim: ClaimIdentity, proven: Proven, proof: string): boolean {
    const given = Buffer.from(proof, 'base64url');
    return this.#keys.some((key) => {
      const expected = Buffer.from(proofOf(secretOf(key, claim), proven), 'base64url');
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  }
}

/** JSON keeps the parts apart: a step's id may hold any character. */
const secretOf = (key: Buffer, { operationId, stepId, epoch, service, keyId }: ClaimIdentity): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([operationId, stepId, epoch, service, keyId]))
    .digest('base64url');
