import { minutes } from '@windlass/foundation';
import type { RequestClient } from '../request/request-client.js';
import { hostKeyContract } from './vim-contracts.js';

/** How long a pin is tried before a connection is given up for it. */
const WITHIN = minutes(1);

/** Pinned host keys, kept by the VIM registry; the same for all replicas of all services. */
export class NatsHostKeys {
  constructor(private readonly client: RequestClient) {}

  async get(resourceId: string): Promise<string | undefined> {
    return (await this.client.requestUntilAnswered(hostKeyContract, { resourceId }, { within: WITHIN })).key;
  }

  async pin(resourceId: string, key: string): Promise<string> {
    return (await this.client.requestUntilAnswered(hostKeyContract, { resourceId, key }, { within: WITHIN })).key ?? key;
  }
}
