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

/**
 * Whether a worker with these actions is given the step's look and not the step: at the first claim, and when it is called behind the step that has made what it
 * looks for. One that was lost before is not: it would pass the quarantine by.
 * @param actions `action@version` that it can run
 */
export const looksFirst = (
  { traits: { look }, phase, epoch, losses, blockedOn }: Pick<StepRecord, 'traits' | 'phase' | 'epoch' | 'losses' | 'blockedOn'>,
  actions: readonly string[],
): boolean =>
  look !== undefined &&
  phase === 'do' &&
  (epoch === 0 || (look.behind !== undefined && blockedOn === look.behind && losses === 0)) &&
  actions.includes(`${look.action}@${look.version}`);

/** Whether the claim that runs, or has just ended, is of the step's look, which changes nothing. */
export const isLook = ({ traits: { look }, epoch, waitingEpoch }: StepRecord): boolean =>
  look !== undefined && epoch > 0 && waitingEpoch === epoch;

/** The action of a running claim: the step's look, where the claim was given without a place, else its own. */
export const claimedAction = (step: StepRecord): { action: string; version: number } =>
  (isLook(step) ? step.traits.look : undefined) ?? { action: step.action, version: step.version };

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
