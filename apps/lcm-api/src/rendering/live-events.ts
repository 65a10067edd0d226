import { masked, withoutTexts } from '@windlass/foundation';
import type { ObservedOperation } from '@windlass/persistence';
import type { StepCount } from '@windlass/saga';
import type { ShownFailure, ShownStep } from './step-views.js';

/** An operation as live views tell it. */
export type ShownOperation = Omit<ObservedOperation, 'cancelMode' | 'error' | 'warnings'> &
  Partial<Pick<ObservedOperation, 'warnings'>> & {
    cancelMode?: string;
    error?: unknown;
    steps: StepCount;
    failure?: ShownFailure;
  };

interface OperationEvent {
  readonly event: 'operation';
  readonly data: ShownOperation;
}

/** What a live view tells, by the name of its event on the wire (docs/contracts/rest-extensions.md). */
export type LiveEvent =
  | OperationEvent
  | { readonly event: 'step'; readonly data: ShownStep & { readonly operationId: string } }
  | { readonly event: 'ready'; readonly data: { readonly snapshot: boolean } }
  | { readonly event: 'end'; readonly data: { readonly operationState: string } };

/** One event of `text/event-stream` (WHATWG HTML 9.2). `id` is what a client that comes again says in `Last-Event-ID`; without one, the id before stands. */
export type StreamEvent = LiveEvent & { readonly id?: string };

/**
 * @param secrets of the operation's request, which its error may quote
 * @param failure of an operation that stands
 */
export function operationNews(
  operation: ObservedOperation,
  steps: StepCount,
  secrets: readonly string[],
  failure?: ShownFailure,
): OperationEvent {
  const { id, vnfInstanceId, operation: kind, operationState, stateEnteredTime, startTime, isCancelPending } = operation;
  const { cancelMode, error, warnings } = operation;
  return {
    event: 'operation',
    data: {
      id,
      vnfInstanceId,
      operation: kind,
      operationState,
      isCancelPending,
      stateEnteredTime,
      startTime,
      ...(cancelMode === null ? {} : { cancelMode }),
      ...(error === null ? {} : { error: withoutTexts(masked(error), secrets) }),
      ...(warnings.length === 0 ? {} : { warnings }),
      steps,
      ...(failure === undefined ? {} : { failure }),
    },
  };
}

/** @param step as `shownSteps` gives it, masked */
export const stepNews = (operationId: string, step: ShownStep): LiveEvent => ({ event: 'step', data: { operationId, ...step } });

/** An event as it stands on the wire. JSON has no line breaks, so one `data` line is all. */
export const eventText = ({ event, data, id }: StreamEvent): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n${id === undefined ? '' : `id: ${id}\n`}\n`;
