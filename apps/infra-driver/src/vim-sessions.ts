import { minutes } from '@windlass/foundation';
import type { VimAccess } from '@windlass/lifecycle';
import { OpenStack, STACK_PACE, type StackPace } from '@windlass/openstack';
import type { AddressRules } from '@windlass/outbound';
import { createHash } from 'node:crypto';
import { connectionOf } from './actions/infra-context.js';

/** A session unused for this long is closed. */
const IDLE = minutes(10);

/** One session per VIM and user. All steps share its token, its connections and its watch of stacks. */
export class VimSessions {
  readonly #sessions = new Map<string, { openStack: OpenStack; usedAt: number }>();

  /**
   * @param rules where VIMs and what their catalogs name may be; without them anywhere
   * @param pace how often stacks that are waited for are looked at
   */
  constructor(
    private readonly rules: AddressRules | undefined,
    private readonly pace: StackPace = STACK_PACE,
  ) {}

  /** The session for this access, whatever the connection's name. Another password gives another session, with a watch of its own. */
  of(vim: VimAccess): OpenStack {
    this.#closeIdle();
    const { connectionId: _, ...access } = vim;
    const key = createHash('sha256').update(JSON.stringify(access)).digest('hex');
    const known = this.#sessions.get(key);
    const openStack =
      known?.openStack ?? OpenStack.watching(connectionOf(vim), this.rules === undefined ? {} : { rules: this.rules }, this.pace);
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
