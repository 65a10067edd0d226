import { minutes } from '@windlass/foundation';
import type { RequestClient } from '../request/request-client.js';
import { ClaimAsker, type ClaimKey, type ClaimProofs } from './claim-vim-client.js';
import { hostKeyContract } from './vim-claim-contracts.js';

/** How long a pin is tried before a connection is given up for it. */
const WITHIN = minutes(1);

/** Pinned host keys, kept by the VIM registry; the same for all replicas of all services. Read and pinned on behalf of a claim alone. */
export class NatsHostKeys {
  readonly #asker: ClaimAsker;

  constructor(client: RequestClient, proofs: ClaimProofs) {
    this.#asker = new ClaimAsker(client, proofs);
  }

  /** @throws RequestError 403 `host-key.foreign-server`, 409 `claim.not-held` */
  async get(resourceId: string, claim: ClaimKey): Promise<{ keys: readonly string[]; pinned: boolean }> {
    return this.#asker.ask(hostKeyContract, claim, { resourceId }, { within: WITHIN });
  }

  /** @throws as {@link get}; RequestError 409 `host-key.not-known-beforehand` */
  async pin(resourceId: string, key: string, claim: ClaimKey): Promise<string> {
    const { keys } = await this.#asker.ask(hostKeyContract, claim, { resourceId, key }, { within: WITHIN });
    return keys[0] ?? key;
  }
}
