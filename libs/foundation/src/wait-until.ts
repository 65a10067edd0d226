import { setTimeout as pause } from 'node:timers/promises';
import { describeDuration, type Duration } from './duration.js';
import { TransientError } from './errors.js';

export interface WaitOptions {
  /** What is waited for, for the message of the time-out: `the stack to be complete`. */
  for: string;
  within: Duration;
  /** First pause between two looks. */
  every: Duration;
  /** Pauses grow by this factor up to `atMost`; 1 by default. */
  growth?: number;
  atMost?: Duration;
  /** A pause is at least so many times as long as the look before it took, up to `atMost`: who answers slowly is asked less often. 0 by default. */
  restFactor?: number;
  signal?: AbortSignal;
}

/**
 * Looks until `look` returns something other than undefined, and returns that.
 * @throws TransientError `wait.timeout`, saying what was waited for and what was seen last (`seen`).
 */
export async function waitUntil<T>(
  look: (seen: (last: string) => void) => Promise<T | undefined>,
  options: WaitOptions,
): Promise<T> {
  const until = performance.now() + options.within;
  let every: number = options.every;
  let last = 'nothing yet';
  const atMost: number = options.atMost ?? Number.POSITIVE_INFINITY;
  for (;;) {
    options.signal?.throwIfAborted();
    const begun = performance.now();
    const found = await look((text) => (last = text));
    if (found !== undefined) return found;
    const ended = performance.now();
    const left = until - ended;
    if (left <= 0) {
      throw new TransientError(
        'wait.timeout',
        `waited ${describeDuration(options.within)} for ${options.for}; last seen: ${last}`,
      );
    }
    const rest = (ended - begun) * (options.restFactor ?? 0);
    await pause(
      Math.min(Math.max(every, rest), atMost, left),
      undefined,
      options.signal === undefined ? {} : { signal: options.signal },
    );
    every = Math.min(every * (options.growth ?? 1), atMost);
  }
}
