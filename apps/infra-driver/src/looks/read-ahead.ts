import { seconds } from '@windlass/foundation';
import type { OpenStack, StackParts } from '@windlass/openstack';

/** What nobody has come for by then is forgotten: the step that needs it runs elsewhere, or not at all. */
const KEPT_FOR = seconds(10);

/** So many at a time: where many stacks end together the steps read in their turns, under the limit of their VIM. */
const MOST = 16;

interface Begun {
  parts: Promise<StackParts | undefined>;
  control: AbortController;
  timer: NodeJS.Timeout;
}

/**
 * Reads that one step has begun for the step after it, while its own result is written down. It belongs to one session, so nobody gets what another
 * user of the VIM has read. Each is taken once; where there is none, or it failed, whoever needs it reads for himself.
 */
export class ReadAhead {
  readonly #begun = new Map<string, Begun>();

  constructor(private readonly keptFor = KEPT_FOR) {}

  /** How many were begun, and neither taken nor forgotten. */
  get waiting(): number {
    return this.#begun.size;
  }

  /**
   * Begins to read what a stack consists of, which has just been seen complete. Does nothing where many are begun already.
   * @param key the operation and the stack: what an operation reads is never what another has begun, before it changed the stack
   */
  begin(key: string, read: (signal: AbortSignal) => Promise<StackParts>): void {
    this.#forget(key);
    if (this.#begun.size >= MOST) return;
    const control = new AbortController();
    // Whoever takes it reads for himself then, and meets what is wrong.
    const parts = read(control.signal).catch(() => undefined);
    const timer = setTimeout(() => this.#forget(key), this.keptFor);
    timer.unref();
    this.#begun.set(key, { parts, control, timer });
  }

  /**
   * What was begun by that key a moment ago; undefined where nothing was, or it failed.
   * @param signal ends the reading, too
   */
  async take(key: string, signal: AbortSignal): Promise<StackParts | undefined> {
    const begun = this.#begun.get(key);
    if (begun === undefined) return undefined;
    this.#begun.delete(key);
    clearTimeout(begun.timer);
    const end = (): void => begun.control.abort(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    try {
      return await begun.parts;
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  #forget(key: string): void {
    const begun = this.#begun.get(key);
    if (begun === undefined) return;
    this.#begun.delete(key);
    clearTimeout(begun.timer);
    begun.control.abort(new Error('nobody has come for it'));
  }
}

/** Of each session, by its watch: it is the session's own, and goes with it. */
const ofSessions = new WeakMap<object, ReadAhead>();

/** What is read ahead through this session; undefined for one without a watch, which is not kept from step to step. */
export function readAheadOf({ watch }: Pick<OpenStack, 'watch'>): ReadAhead | undefined {
  if (watch === undefined) return undefined;
  const ahead = ofSessions.get(watch) ?? new ReadAhead();
  ofSessions.set(watch, ahead);
  return ahead;
}
