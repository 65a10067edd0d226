import { setMaxListeners } from 'node:events';
import { millis, TerminalError, TransientError, type Duration } from '@windlass/foundation';
import type { Claim, CoordinatorClient } from '../coordinator/messages.js';
import type { StopReason } from './action.js';

/** How much before its end a lease is no longer trusted: clocks' rates differ, and a write takes a while to land. */
const SAFETY_PARTS = 5;

/** How much of a lease passes before an unanswered renewal is sent once more, to whichever coordinator takes it. */
const ASKED_AGAIN_PARTS = 12;

/**
 * How much of a lease passes before a renewal says that the run only waits, where it is not due sooner: a wait that is over by then costs nobody a renewal more.
 * Of a long lease no more than this passes: until then the run holds its places, and others of its VIM stand still for want of them.
 */
const WAIT_TOLD_PARTS = 10;
const WAIT_TOLD_WITHIN = millis(500);
/** Where others want its places: long enough for what many say at the same moment to go out together. */
const WAIT_TOLD_TO_OTHERS_WITHIN = millis(50);

/** The worker's side of a claim: renews it, and ends the work by its own monotonic clock before the lease can end. */
export class Lease {
  readonly #stop = new AbortController();
  #trustedUntil: number;
  #timer: NodeJS.Timeout | undefined;
  #end: NodeJS.Timeout | undefined;
  #progress: string | undefined;
  #renewalAt = 0;
  /** Whether it only waits, and the coordinators are to be told so with the next renewal. */
  #saysWait = false;
  #closed = false;
  readonly #key: { operationId: string; stepId: string; epoch: number };
  /** Within how long it is told that it only waits. */
  readonly #waitTold: Duration;

  /** @param sentAt `performance.now()` before the claim was sent: the lease can't have begun earlier. */
  constructor(
    { operationId, stepId, epoch, crowded }: Pick<Claim, 'operationId' | 'stepId' | 'epoch' | 'crowded'>,
    private readonly coordinator: CoordinatorClient,
    private leaseFor: number,
    sentAt: number,
    private readonly onTrouble: (error: unknown) => void,
  ) {
    this.#key = { operationId, stepId, epoch };
    this.#waitTold = crowded === true ? WAIT_TOLD_TO_OTHERS_WITHIN : WAIT_TOLD_WITHIN;
    manyListen(this.signal);
    this.#trustedUntil = this.#trustFrom(sentAt);
    this.#watchEnd();
    this.#schedule(this.leaseFor / 3);
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get reason(): StopReason | undefined {
    return this.signal.aborted ? (this.signal.reason as LeaseEnded).stopReason : undefined;
  }

  /** How long it holds from a renewal on, in milliseconds. */
  get duration(): number {
    return this.leaseFor;
  }

  progress(line: string): void {
    this.#progress = line;
  }

  /** Says so with the next renewal, which comes soon. */
  onlyWaits(): void {
    this.#saysWait = true;
    const soon = Math.min(this.leaseFor / WAIT_TOLD_PARTS, this.#waitTold);
    if (this.#renewalAt - performance.now() > soon) this.#schedule(soon);
  }

  /** @throws LeaseEnded when the lease may have ended, or the work was told to stop. */
  assert(): void {
    if (performance.now() >= this.#trustedUntil) this.end('lease-lost');
    this.signal.throwIfAborted();
  }

  /**
   * As {@link assert}, for ending what a cancelled step left running: only the lease counts.
   * @throws LeaseEnded
   */
  assertHeld(): void {
    if (performance.now() >= this.#trustedUntil) throw new LeaseEnded('lease-lost');
  }

  /** How long the claim can still be trusted. */
  get left(): Duration {
    return millis(this.reason === 'lease-lost' ? 0 : Math.max(0, this.#trustedUntil - performance.now()));
  }

  end(reason: StopReason): void {
    if (!this.signal.aborted) this.#stop.abort(new LeaseEnded(reason));
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#end);
  }

  #trustFrom(sentAt: number): number {
    return sentAt + this.leaseFor - this.leaseFor / SAFETY_PARTS;
  }

  #schedule(after: number): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#renewalAt = performance.now() + after;
    this.#timer = setTimeout(() => void this.#renew(), after);
  }

  /** Beside the renewals: one of them may hang in a client that knows no time-out. */
  #watchEnd(): void {
    clearTimeout(this.#end);
    if (this.#closed) return;
    this.#end = setTimeout(() => this.end('lease-lost'), Math.max(0, this.#trustedUntil - performance.now()));
  }

  async #renew(): Promise<void> {
    if (performance.now() >= this.#trustedUntil) this.end('lease-lost');
    if (this.reason === 'lease-lost') return;
    const sentAt = performance.now();
    const progress = this.#progress;
    const waits = this.#saysWait;
    // A coordinator that hangs keeps its request: the next one is asked for by then, without giving up on the first.
    this.#schedule(this.leaseFor / ASKED_AGAIN_PARTS);
    const within = AbortSignal.timeout(Math.max(1, Math.floor(this.#trustedUntil - sentAt)));
    try {
      const said = { ...(progress === undefined ? {} : { progress }), ...(waits ? { waits } : {}) };
      const reply = await this.coordinator.renew({ ...this.#key, ...said }, within);
      if (reply.verdict === 'stale') {
        this.end('lease-lost');
        return;
      }
      if (waits) this.#saysWait = false;
      this.leaseFor = reply.leaseFor;
      this.#trustedUntil = Math.max(this.#trustedUntil, this.#trustFrom(sentAt));
      this.#watchEnd();
      if (reply.cancel === 'FORCEFUL') this.end('cancelled');
      this.#schedule(this.leaseFor / 3);
    } catch (error) {
      // A coordinator of the release before refuses a renewal that says so: then it goes on without, and its places stay its own.
      if (waits && error instanceof TerminalError) {
        this.#saysWait = false;
        this.#schedule(0);
        return;
      }
      // Not answered: the lease stands until its end, and the next try, which is on its way, may be answered.
      if (!(error instanceof TransientError)) this.onTrouble(error);
    }
  }
}

/** Why a run's signal was aborted. */
export class LeaseEnded extends TransientError {
  constructor(readonly stopReason: StopReason) {
    super('step.stopped', `the step was stopped: ${stopReason}`);
  }
}

/** A limit of time. */
export interface Deadline {
  /** Aborts with the signal that it was made of, for its reason, or when the time is over. */
  readonly signal: AbortSignal;
  /** To be called when what it limits has ended: neither timer nor listener stays. */
  stop(): void;
}

/**
 * With the signal alone where there is no limit of time. By hand: the timer in `AbortSignal.any([signal, AbortSignal.timeout(...)])` may be collected
 * as garbage, and then it never fires (nodejs/node#57736).
 */
export function deadline(within: Duration | undefined, signal: AbortSignal): Deadline {
  if (within === undefined) return { signal, stop: () => undefined };
  const control = new AbortController();
  const end = (): void => control.abort(signal.reason);
  const timer = setTimeout(() => control.abort(new DOMException('the time is over', 'TimeoutError')), Math.round(within));
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  manyListen(control.signal);
  return {
    signal: control.signal,
    stop: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    },
  };
}

/** One step may have any number of requests under way, and each listens until it has ended: Node's warning at eleven says nothing here. */
const manyListen = (signal: AbortSignal): void => setMaxListeners(0, signal);
