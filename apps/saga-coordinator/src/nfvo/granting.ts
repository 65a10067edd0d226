import type { GrantedBy } from '@windlass/messaging';
import type { NfvoSettings } from './nfvo-config.js';

/** Who grants, for those who only want to know. */
export class Granting {
  constructor(private readonly nfvo: NfvoSettings | undefined) {}

  by(): GrantedBy {
    return { by: this.nfvo === undefined ? 'coordinator' : 'nfvo' };
  }
}
