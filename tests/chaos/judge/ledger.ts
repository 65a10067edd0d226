import type { ClaimSeen, Evidence, LedgerLine } from './evidence.js';
import type { Finding } from './judge.js';

/** What says which jobs ran twice. */
type LedgerEvidence = Pick<Evidence, 'ledger'> & {
  readonly claims: readonly Pick<ClaimSeen, 'operationId' | 'stepId' | 'attemptEpoch'>[];
};

/** Reads the ledger that the jobs on the host kept. @throws Error on a line that no job writes */
export function readLedger(text: string): LedgerLine[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, event = '', operationId = '', stepId = '', phase = '', attempt = ''] = line.split('\t');
      if (!isEvent(event) || (phase !== 'do' && phase !== 'undo')) throw new Error(`not a line of the ledger: ${line}`);
      return { event, operationId, stepId, phase, attemptEpoch: Number(attempt) };
    });
}

const isEvent = (text: string): text is LedgerLine['event'] => ['begin', 'end', 'failed', 'overlap'].includes(text);

/**
 * Jobs that ran twice. Only another *attempt*, which the journal granted, may run a job again: after a transient error (the
 * step's own policy), after a customer's retry of a failed step, and the undo of a step. Each has an attempt epoch of its own. A claim that
 * takes an attempt over from a lost worker is the same attempt: it must attach to the job. A recheck of a done step runs no job at all, as
 * the action has no check. So:
 * - within one attempt and phase a job begins once;
 * - two jobs of a step never run at the same time, whatever attempts they belong to (the job itself sees that by a lock);
 * - an attempt that begins on the host was granted by the journal, and none begins after a later one has begun;
 * - a phase that succeeded in one attempt does not succeed in another, unless the journal itself granted one after it.
 */
export function doubledJobs({ ledger, claims }: LedgerEvidence): Finding[] {
  const granted = new Set(claims.map(({ operationId, stepId, attemptEpoch }) => `${operationId} ${stepId} ${attemptEpoch}`));
  const begun = new Set<string>();
  const latest = new Map<string, number>();
  return ledger.flatMap(({ event, operationId, stepId, phase, attemptEpoch }): Finding[] => {
    const step = `${operationId} ${stepId}`;
    const found = (says: string): Finding[] => [
      { kind: 'doubled', says: `the job of step ${stepId} (${phase}) ${says}`, operationId },
    ];
    if (event === 'overlap') return found(`of attempt ${attemptEpoch} began while another of the same step ran`);
    if (event !== 'begin') return [];
    const attempt = `${step} ${attemptEpoch} ${phase}`;
    const twice = begun.has(attempt);
    begun.add(attempt);
    if (twice) return found(`began twice in attempt ${attemptEpoch}`);
    const last = latest.get(step) ?? 0;
    latest.set(step, Math.max(last, attemptEpoch));
    if (attemptEpoch < last) return found(`began for attempt ${attemptEpoch} when attempt ${last} had begun`);
    return granted.has(`${step} ${attemptEpoch}`) ? [] : found(`began for attempt ${attemptEpoch}, which was never granted`);
  });
}
