import { minutes } from '@windlass/foundation';
import type { RequestClient } from '../request/request-client.js';
import { ClaimAsker, type ClaimKey, type ClaimProofs } from './claim-vim-client.js';
import { hostKeyContract } from './vim-claim-contracts.js';

/** How long pinning a key is tried, before the connection is given up. */
const WITHIN = minutes(1);

/** Pinned host keys, which the VIM registry keeps for all replicas of all services. Only a claim's holder reads and pins keys. */
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
