import { maskSecrets, observed, secretTextsIn, stepTrace, type WorkAttributes } from '@windlass/foundation';
import type { Claim, StepEnd, WorkerOptions } from '@windlass/saga';
import type { MessagingLog } from '../link/nats-link.js';

/**
 * What a service's log has of each step that the service runs: a line at the step's begin, and a line at its end with the outcome and the
 * milliseconds; and errors that are not in the step's result. Every line that is written while the step runs has the step's `operationId` and
 * `stepId`, and the trace of its operation. The observer is told of the step, too.
 */
export function stepLog(log: MessagingLog): Required<Pick<WorkerOptions, 'around' | 'onTrouble'>> {
  return {
    around: (claim, run) =>
      observed(
        { kind: 'step', name: claim.action, attributes: attributesOf(claim) },
        async (say) => {
          const started = performance.now();
          log.info('a step begins', namesOf(claim));
          const ended = (end: StepEnd | { kind: 'trouble' }) =>
            log.info('a step ended', { ...namesOf(claim), ...end, ms: Math.round(performance.now() - started) });
          try {
            const end = await run();
            ended(end);
            const { kind, code } = end;
            const failed = kind === 'failed' || kind === 'lease-lost';
            say({ outcome: kind, failed, ...(code === undefined ? {} : { attributes: { 'error.type': code } }) });
            return end;
          } catch (error) {
            ended({ kind: 'trouble' });
            say({ outcome: 'trouble' });
            throw error;
          }
        },
        stepTrace(claim),
      ),
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

const attributesOf = ({ operationId, stepId, epoch, version, phase, attempt, resumed, target }: Claim): WorkAttributes => ({
  'windlass.operation.id': operationId,
  'windlass.step.id': stepId,
  'windlass.step.epoch': epoch,
  'windlass.step.attempt': attempt,
  'windlass.step.phase': phase,
  'windlass.action.version': version,
  ...(resumed ? { 'windlass.step.resumed': true } : {}),
  ...(target === null ? {} : { 'windlass.step.target': target }),
});
