import type { CompiledStep } from '../plan/compile.js';
import type { StepRecord } from './records.js';

/** What a step forgets when a phase begins anew. Its epoch it never forgets. */
export const fresh = {
  owner: null,
  leaseUntil: null,
  attempt: 0,
  resumed: false,
  losses: 0,
  nextAttemptAt: null,
  dispatchBy: null,
  rungAt: null,
  rings: 0,
  blockedOn: null,
  progress: null,
  error: null,
  startedAt: null,
  endedAt: null,
} satisfies Partial<StepRecord>;

/** Besides its own keys, a step that a worker runs counts for its service. */
const limitKeysOf = ({ limitKeys, service, traits }: CompiledStep): string[] =>
  [...limitKeys, ...(traits.inline === true ? [] : [`service:${service}`])].sort();

/**
 * Whether it takes up places under its limits: it runs, and the claim has not said that it only waits. By the epoch, so that whoever claims it next holds its
 * places again, also where that is a coordinator of a release that knows no waiting.
 */
export const holdsPlaces = ({ state, epoch, waitingEpoch }: Pick<StepRecord, 'state' | 'epoch' | 'waitingEpoch'>): boolean =>
  state === 'running' && waitingEpoch !== epoch;

/** The first record of a step of a compiled plan. */
export function newStep(operationId: string, seq: number, compiled: CompiledStep): StepRecord {
  return {
    ...fresh,
    operationId,
    id: compiled.id,
    seq,
    parentId: compiled.parentId,
    action: compiled.action,
    version: compiled.version,
    service: compiled.service,
    target: compiled.target,
    deps: compiled.deps,
    limitKeys: limitKeysOf(compiled),
    groups: compiled.groups,
    traits: compiled.traits,
    phase: 'do',
    state: 'waiting',
    epoch: 0,
    attemptEpoch: 0,
    everClaimed: false,
    recheck: false,
    waitingEpoch: null,
    resultEpoch: null,
  };
}
