import { minutes } from '@windlass/foundation';
import { createHash } from 'node:crypto';
import type { OpenStack } from './openstack.js';

/** A session unused for this long is closed. */
const IDLE = minutes(10);

/** Unused sessions are looked for this often: what they know, passwords too, is forgotten also where nobody asks for a session any more. */
const LOOK_EVERY = minutes(1);

/** One session for each way into a VIM: all that use it share its token and its connections. */
export class KeptSessions {
  readonly #sessions = new Map<string, { openStack: OpenStack; usedAt: number }>();
  #looking: NodeJS.Timeout | undefined;

  /**
   * The session for this access.
   * @param access everything that tells it from others, the password too; only a hash of it is kept
   * @param open makes the session where there is none
   */
  of(access: object, open: () => OpenStack): OpenStack {
    this.#closeIdle();
    this.#looking ??= setInterval(() => this.#closeIdle(), LOOK_EVERY).unref();
    const key = createHash('sha256').update(JSON.stringify(access)).digest('hex');
    const openStack = this.#sessions.get(key)?.openStack ?? open();
    this.#sessions.set(key, { openStack, usedAt: performance.now() });
    return openStack;
  }

  close(): void {
    clearInterval(this.#looking);
    this.#looking = undefined;
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
    if (this.#sessions.size > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }
}
