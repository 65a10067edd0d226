import type { VimAccess } from '@windlass/lifecycle';
import { KeptSessions, OpenStack, STACK_PACE, type StackPace } from '@windlass/openstack';
import type { AddressRules } from '@windlass/outbound';
import { connectionOf } from './actions/infra-context.js';

/** One session per VIM and user. All steps share its token, its connections and its watch of stacks. */
export class VimSessions {
  readonly #kept = new KeptSessions();

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
    const { connectionId: _, ...access } = vim;
    const options = this.rules === undefined ? {} : { rules: this.rules };
    return this.#kept.of(access, () => OpenStack.watching(connectionOf(vim), options, this.pace));
  }

  close(): void {
    this.#kept.close();
  }
}
