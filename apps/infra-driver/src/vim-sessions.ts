import { minutes } from '@windlass/foundation';
import type { VimAccess } from '@windlass/lifecycle';
import { OpenStack } from '@windlass/openstack';
import type { AddressRules } from '@windlass/outbound';
import { createHash } from 'node:crypto';
import { connectionOf } from './actions/infra-context.js';

/** A session unused for this long is closed. */
const IDLE = minutes(10);

/** One session a VIM and user: its token and connections serve all steps. */
export class VimSessions {
  readonly #sessions = new Map<string, { openStack: OpenStack; usedAt: number }>();

  /** @param rules where VIMs and what their catalogs name may be; without them anywhere */
  constructor(private readonly rules: AddressRules | undefined) {}

  /** The session for this access; another password is another session. */
  of(vim: VimAccess): OpenStack {
    this.#closeIdle();
    const key = createHash('sha256').update(JSON.stringify(vim)).digest('hex');
    const known = this.#sessions.get(key);
    const openStack =
      known?.openStack ?? OpenStack.open(connectionOf(vim), this.rules === undefined ? {} : { rules: this.rules });
    this.#sessions.set(key, { openStack, usedAt: performance.now() });
    return openStack;
  }

  close(): void {
    for (const { openStack } of this.#sessions.values()) openStack.close();
    this.#sessions.clear();
  }

  #closeIdle(): void {
    for (const [key, { openStack, usedAt }] of this.#sessions) {
      if (performance.now() - usedAt < IDLE) continue;
      openStack.close();
      this.#sessions.delete(key);
    }
  }
}
