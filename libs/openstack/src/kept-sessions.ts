import { minutes } from '@windlass/foundation';
import { createHash } from 'node:crypto';
import type { OpenStack } from './openstack.js';

/** A session unused for this long is closed. */
const IDLE = minutes(10);

/** One session for each way into a VIM: all that use it share its token and its connections. */
export class KeptSessions {
  readonly #sessions = new Map<string, { openStack: OpenStack; usedAt: number }>();

  /**
   * The session for this access.
   * @param access everything that tells it from others, the password too; only a hash of it is kept
   * @param open makes the session where there is none
   */
  of(access: object, open: () => OpenStack): OpenStack {
    this.#closeIdle();
    const key = createHash('sha256').update(JSON.stringify(access)).digest('hex');
    const openStack = this.#sessions.get(key)?.openStack ?? open();
    this.#sessions.set(key, { openStack, usedAt: performance.now() });
    return openStack;
  }

  close(): void {
    for (const { openStack } of this.#sessions.values()) openStack.close();
    this.#sessions.clear();
  }

  #closeIdle(): void {
    for (const [key, session] of this.#sessions) {
      const { openStack } = session;
      // A wait for a stack may use the session for longer than that.
      if ((openStack.watch?.waits ?? 0) > 0) session.usedAt = performance.now();
      if (performance.now() - session.usedAt < IDLE) continue;
      openStack.close();
      this.#sessions.delete(key);
    }
  }
}
