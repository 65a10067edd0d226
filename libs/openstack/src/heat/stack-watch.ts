import { millis, seconds, TerminalError } from '@windlass/foundation';
import type { OpenStackSession } from '../session/openstack-session.js';
import { HeatApi, MOST_IDS } from './heat-api.js';
import type { StackRef, StackSummary } from './heat-types.js';
import { nextLook, type NextLook } from './next-look.js';
import type { StackLooks, StackPace, WaitSoFar } from './stack-looks.js';
import { UsualTimes } from './usual-times.js';

/**
 * Each half second for ten seconds, then after 5 % of the time waited: each 1.5 s at half a minute, and each 5 s from a hundred seconds on. A Heat
 * that takes a second for a listing has four of rest. A stack of one server is made before its resources are counted at all. Where it is known how long
 * such stacks take, looks are fewer before that time and closer around it: never more for a stack than one at once and one each half second.
 */
export const STACK_PACE: StackPace = {
  first: millis(500),
  close: millis(150),
  saved: 6,
  ahead: millis(150),
  behind: millis(600),
  readShare: 0.1,
  readMost: seconds(1),
  earlyMost: seconds(2),
  most: seconds(5),
  share: 0.05,
  restFactor: 4,
  progressFrom: seconds(3),
  progressAgain: seconds(2),
  progressShare: 0.2,
};

/** A listing that is not answered for so long no longer holds up the stacks that it does not show. */
const OVERTAKEN_AFTER = seconds(5);

/** Heat refuses to list, or lists what can't be read: a look at the stack by itself says more, of each its own. */
const LOOK_ONE_BY_ONE = new Set([
  'openstack.bad-request',
  'openstack.forbidden',
  'openstack.not-found',
  'openstack.refused',
  'openstack.unexpected-answer',
]);

/** A wait between its call and its look. */
interface Waiting extends NextLook {
  id: string;
  found: (stack: StackSummary | undefined) => void;
  failed: (error: unknown) => void;
}

/** A request under way, and who waits for it. */
interface Listing {
  ids: string[];
  waiting: Set<Waiting>;
  control: AbortController;
}

/**
 * Looks at all stacks of one VIM that are waited for with one listing. It belongs to one session, and so to one user in one project: what it asks,
 * those who wait could ask. While nobody waits it has no timer and no request.
 */
export class StackWatch implements StackLooks {
  /** Not in a listing yet. */
  readonly #waiting = new Set<Waiting>();
  readonly #listings = new Set<Listing>();
  #timer: NodeJS.Timeout | undefined;
  #lastBegun = Number.NEGATIVE_INFINITY;
  #restUntil = Number.NEGATIVE_INFINITY;
  #shortRestUntil = Number.NEGATIVE_INFINITY;
  /** Looks that were saved when the last listing was begun. */
  #saved: number;
  readonly usual = new UsualTimes();
  #atOnce = 0;
  #isDearWorkDone = true;
  #dearWorkFrom = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly session: OpenStackSession,
    readonly pace: StackPace = STACK_PACE,
  ) {
    this.#saved = pace.saved;
  }

  /** How many wait for a look now. */
  get waits(): number {
    return [...this.#listings].reduce((sum, { waiting }) => sum + waiting.size, this.#waiting.size);
  }

  get atOnce(): number {
    return this.#atOnce;
  }

  enter(): () => void {
    this.#atOnce += 1;
    let isIn = true;
    return () => {
      if (isIn) this.#atOnce -= 1;
      isIn = false;
    };
  }

  /**
   * The stack at its next look, whose request is sent after this call: what was before is never taken for what came of it. Undefined where the
   * listing does not show it, or Heat refuses to list: then only a look at that stack alone can tell.
   * @throws what OpenStackSession.request throws, but for such refusals; the signal's reason
   */
  look(ref: StackRef, wait: WaitSoFar): Promise<StackSummary | undefined> {
    const { signal } = wait;
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      const now = performance.now();
      const leave = (): void => {
        this.#leave(waiting);
        reject(signal?.reason as Error);
      };
      const waiting: Waiting = {
        id: ref.id,
        ...nextLook(this.pace, wait, now),
        found: (stack) => {
          signal?.removeEventListener('abort', leave);
          resolve(stack);
        },
        failed: (error) => {
          signal?.removeEventListener('abort', leave);
          reject(error as Error);
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.add(waiting);
      this.#arrange();
    });
  }

  /**
   * Does what is dear to the VIM, one such thing at a time and with rest behind it.
   * @returns undefined, and does nothing, while another is done or rested from
   */
  async alone<T>(work: () => Promise<T>): Promise<T | undefined> {
    const begun = performance.now();
    if (!this.#isDearWorkDone || begun < this.#dearWorkFrom) return undefined;
    this.#isDearWorkDone = false;
    try {
      return await work();
    } finally {
      const ended = performance.now();
      this.#isDearWorkDone = true;
      this.#dearWorkFrom = ended + Math.max(this.pace.first, this.#restAfter(ended - begun));
    }
  }

  #restAfter(took: number): number {
    return Math.min(took * this.pace.restFactor, this.pace.most);
  }

  /** Sets the clock for the next listing, or stops it. */
  #arrange(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.size === 0) return;
    const { first, close } = this.pace;
    const overtakes = this.#listings.size === 0 ? Number.NEGATIVE_INFINITY : this.#lastBegun + OVERTAKEN_AFTER;
    // A look that was saved may be sent before the pause is over; one that was not has to be saved first.
    const oneIsSaved = this.#lastBegun + (1 - Math.min(this.#saved, 1)) * first;
    const mayBegin = (isExpected: boolean): number =>
      isExpected
        ? Math.max(this.#lastBegun + Math.min(close, first), oneIsSaved, this.#shortRestUntil)
        : Math.max(this.#lastBegun + first, this.#restUntil);
    const begins = [...this.#waiting].map(({ dueAt, isExpected }) => Math.max(dueAt, mayBegin(isExpected)));
    const at = Math.max(Math.min(...begins), overtakes);
    this.#timer = setTimeout(() => void this.#lookAtDue(), Math.max(0, at - performance.now()));
  }

  /** Those that are due, and those that would be before another listing is worth its request. */
  async #lookAtDue(): Promise<void> {
    const begun = performance.now();
    const due = [...this.#waiting].filter(({ dueAt }) => dueAt <= begun + this.pace.first / 2);
    for (const waiting of due) this.#waiting.delete(waiting);
    const listings = listingsOf(due);
    for (const listing of listings) this.#listings.add(listing);
    this.#saved = Math.max(0, this.#savedBy(begun) - 1);
    this.#lastBegun = begun;
    // The clock goes on: a listing that is not answered must not hold up those that come after it.
    this.#arrange();
    await Promise.all(listings.map((listing) => this.#list(listing)));
    const ended = performance.now();
    this.#restUntil = ended + this.#restAfter(ended - begun);
    this.#shortRestUntil = ended + Math.min(ended - begun, this.pace.most);
    this.#arrange();
  }

  /** Looks that are saved by then: one each `first` since the last listing was begun, up to the most. */
  #savedBy(now: number): number {
    const { first, saved } = this.pace;
    return first === 0 ? saved : Math.min(saved, this.#saved + (now - this.#lastBegun) / first);
  }

  async #list(listing: Listing): Promise<void> {
    const { ids, waiting, control } = listing;
    try {
      const heat = new HeatApi(this.session.with({ signal: control.signal }));
      const stacks = new Map((await heat.stacksById(ids)).map((stack) => [stack.id, stack]));
      for (const { id, found } of waiting) found(stacks.get(id));
    } catch (error) {
      const lookOneByOne = error instanceof TerminalError && LOOK_ONE_BY_ONE.has(error.code);
      for (const { found, failed } of waiting) {
        if (lookOneByOne) found(undefined);
        else failed(error);
      }
    }
    this.#listings.delete(listing);
  }

  /** Whoever leaves is in no listing any more, and a request that nobody waits for ends. */
  #leave(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    for (const listing of this.#listings)
      if (listing.waiting.delete(waiting) && listing.waiting.size === 0)
        listing.control.abort(new Error('nobody waits any more'));
    this.#arrange();
  }
}

/** As few requests as show them all. Two may wait for one stack. */
function listingsOf(due: readonly Waiting[]): Listing[] {
  const ids = [...new Set(due.map(({ id }) => id))];
  return Array.from({ length: Math.ceil(ids.length / MOST_IDS) }, (_, index) => {
    const part = ids.slice(index * MOST_IDS, (index + 1) * MOST_IDS);
    const asked = new Set(part);
    return { ids: part, waiting: new Set(due.filter(({ id }) => asked.has(id))), control: new AbortController() };
  });
}
