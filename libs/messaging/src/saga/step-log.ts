import { maskSecrets, secretTextsIn } from '@windlass/foundation';
import type { Claim, StepEnd, WorkerOptions } from '@windlass/saga';
import type { MessagingLog } from '../link/nats-link.js';
import { withTraceFields } from '../trace/trace-context.js';

/**
 * What a service's log says of each step that it runs: a line when it begins and one when it ends, with how it ended and after how many
 * milliseconds; and whatever went wrong outside of its result. All lines written while it runs carry its `operationId` and `stepId`.
 */
export function stepLog(log: MessagingLog): Required<Pick<WorkerOptions, 'around' | 'onTrouble'>> {
  return {
    around: (claim, run) =>
      withTraceFields({ operationId: claim.operationId, stepId: claim.stepId }, async () => {
        const started = performance.now();
        log.info('a step begins', namesOf(claim));
        const ended = (end: StepEnd | { kind: 'trouble' }) =>
          log.info('a step ended', { ...namesOf(claim), ...end, ms: Math.round(performance.now() - started) });
        try {
          const end = await run();
          ended(end);
          return end;
        } catch (error) {
          ended({ kind: 'trouble' });
          throw error;
        }
      }),
    onTrouble: ({ operationId, stepId, input }, error) =>
      log.error('a step ended in trouble', { operationId, stepId, error: maskSecrets(error.message, secretTextsIn(input)) }),
  };
}

const namesOf = ({ operationId, stepId, epoch, action, version, phase, attempt, resumed, target }: Claim) => ({
  operationId,
  stepId,
  epoch,
  action: `${action}@${version}`,
  phase,
  attempt,
  ...(resumed ? { resumed } : {}),
  ...(target === null ? {} : { target }),
});
