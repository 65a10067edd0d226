import type { GrantedBy } from '@windlass/messaging';
import type { NfvoSettings } from './nfvo-config.js';

/** Tells other services what grants operations: the coordinator itself, or an NFVO. */
export class Granting {
  constructor(private readonly nfvo: NfvoSettings | undefined) {}

  by(): GrantedBy {
    return { by: this.nfvo === undefined ? 'coordinator' : 'nfvo' };
  }
}
