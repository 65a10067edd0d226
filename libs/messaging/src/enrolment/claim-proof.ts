import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { InvariantError } from '@windlass/foundation';
import { canonicalJson } from '../sealing/canonical-json.js';
import type { SealedBox } from '../sealing/sealed-box.js';

/** What a claim is: one step, in the hands of one key, from one epoch on. */
export interface ClaimIdentity {
  operationId: string;
  stepId: string;
  /** The claim's own, not the wake-up's. */
  epoch: number;
  service: string;
  keyId: string;
}

/** A message: its type, such as `vim-claim.host-key.request`, and every member of its data but the proof. */
export interface ProvenMessage {
  type: string;
  data: object;
}

/** What a proof proves. Each kind has words of its own, so that a proof of one kind proves no other kind. */
export type Proven =
  | {
      kind: 'renew';
      /** The line that the renewal carries; an absent line and an empty line differ. */
      progress?: string | undefined;
      /** Whether it says that its claim only waits. */
      waits?: boolean | undefined;
    }
  /** A result, by its sealed box. */
  | { kind: 'result'; sealedOutcome: SealedBox }
  /** A message as a whole. */
  | ({ kind: 'message' } & ProvenMessage);

/**
 * The claim holder's proof that a renewal, a result or a message is the holder's own. The proof holds for this claim and these words only, so the
 * proof may travel in the clear. The secret came with the claim, base64url.
 */
export function proofOf(secret: string, proven: Proven): string {
  return createHmac('sha256', Buffer.from(secret, 'base64url')).update(wordsOf(proven)).digest('base64url');
}

function wordsOf(proven: Proven): string {
  switch (proven.kind) {
    case 'renew':
      return `windlass ${proven.waits === true ? 'wait' : 'renew'}${proven.progress === undefined ? '' : ` ${proven.progress}`}`;
    case 'result': {
      const { kid, epk, ct } = proven.sealedOutcome;
      return `windlass result ${kid} ${epk} ${ct}`;
    }
    case 'message':
      return `windlass message ${proven.type} ${canonicalJson(proven.data)}`;
  }
}

/** Whether the proof was made with this secret. The comparison takes the same time for any proof of that length. */
export function isProof(secret: string, proven: Proven, proof: string): boolean {
  const given = Buffer.from(proof, 'base64url');
  const expected = Buffer.from(proofOf(secret, proven), 'base64url');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The coordinators' end: secrets of claims are derived from the master key, so any coordinator knows them and none keeps them. */
export class ClaimSecrets {
  readonly #keys: readonly Buffer[];

  /** @param masterKeys the newest first; claims granted under an older one still hold. */
  constructor(masterKeys: readonly Buffer[]) {
    this.#keys = masterKeys.map((key) => Buffer.from(hkdfSync('sha256', key, '', 'windlass claim secrets 1', 32)));
  }

  /** The claim's secret, which only the claim's holder is told. */
  of(claim: ClaimIdentity): string {
    const [newest] = this.#keys;
    if (newest === undefined) throw new InvariantError('core services need a master key');
    return secretOf(newest, claim);
  }

  /** Whether the words are those of the claim's holder. */
  proves(claim: ClaimIdentity, proven: Proven, proof: string): boolean {
    return this.secretBehind(claim, proven, proof) !== undefined;
  }

  /**
   * The claim's secret that proves these words, to answer the holder with; undefined where none does. A claim that was granted under an older master
   * key has the secret of that key.
   */
  secretBehind(claim: ClaimIdentity, proven: Proven, proof: string): string | undefined {
    return this.#keys.map((key) => secretOf(key, claim)).find((secret) => isProof(secret, proven, proof));
  }
}

/** JSON keeps the parts apart: a step's id may hold any character. */
const secretOf = (key: Buffer, { operationId, stepId, epoch, service, keyId }: ClaimIdentity): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([operationId, stepId, epoch, service, keyId]))
    .digest('base64url');
