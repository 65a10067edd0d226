import { randomUUID } from 'node:crypto';
import { minutes } from '@windlass/foundation';
import type { HostRun } from '../host.js';

/** A run of a step for tests: by default the first claim of a step, with a long lease. */
export function hostRun(overrides: Partial<HostRun> = {}): HostRun {
  const epoch = overrides.epoch ?? 1;
  return {
    operationId: randomUUID(),
    stepId: 'a-step',
    vnfInstanceId: randomUUID(),
    phase: 'do',
    epoch,
    attemptEpoch: epoch,
    signal: new AbortController().signal,
    assertLease: () => undefined,
    leaseLeft: () => minutes(1),
    ...overrides,
  };
}

/** The same step's next claim: `resumed` when its worker was lost, a new attempt otherwise. */
export function nextClaim(run: HostRun, how: 'resumed' | 'new-attempt', overrides: Partial<HostRun> = {}): HostRun {
  const epoch = run.epoch + 1;
  const attemptEpoch = how === 'resumed' ? run.attemptEpoch : epoch;
  return { ...run, signal: new AbortController().signal, epoch, attemptEpoch, ...overrides };
}
