import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { WindlassError } from '../errors.js';
import { ContextVariable } from './context-variable.js';
import { childTrace, inTrace, type TraceContext } from './trace-context.js';

/** What kinds of work a service's metrics and traces tell apart. */
export type WorkKind =
  /** A request of a client of the REST API. */
  | 'request'
  /** The same request, in the trace of the operation that it was accepted with or is a decision about. */
  | 'acceptance'
  /** A lifecycle operation, from its acceptance to its end. */
  | 'operation'
  /** One claim of a step. */
  | 'step'
  /** A question to another service, asked and answered. */
  | 'message'
  /** A request to an OpenStack, or to a Kubernetes cluster. */
  | 'vim'
  /** Something asked of a machine over SSH. */
  | 'ssh';

/** What is said of work beside its name. No secret, no body, no query and no name of a user belongs in here: it leaves the deployment. */
export type WorkAttributes = Readonly<Record<string, string | number | boolean>>;

/** Work that somebody may look at. */
export interface Work {
  kind: WorkKind;
  /** One of few: `create-stack`, `GET orchestration`. What differs from one time to the next goes into the attributes. */
  name: string;
  attributes?: WorkAttributes;
}

/** Work that is over. */
export interface EndedWork extends Work {
  span: TraceContext;
  /** Milliseconds since 1970, with fractions. */
  startedAt: number;
  endedAt: number;
  /** One of few words: `ok`, `5xx`, `openstack.timeout`. */
  outcome: string;
  failed: boolean;
  /** Spans elsewhere that led to it. */
  links?: readonly TraceContext[];
}

/** Is told of the work of one service. It must not throw, and must not take long. */
export interface Observer {
  /** Whether anybody keeps spans: what is needed for these alone is not asked for where nobody does. */
  readonly keepsSpans: boolean;
  ended(work: EndedWork): void;
}

/** What a run tells of its end; without a word it is `ok`, or failed with the code of what it threw. */
export interface WorkEnd {
  outcome: string;
  failed?: boolean;
  attributes?: WorkAttributes;
}

/** One observer a service: several services in a process have theirs, each for what its start began. */
const running = new ContextVariable<Observer>('observer');

/** Runs a service's work so that this observer is told of it, and of whatever it begins: connections that it opens, timers that it sets. */
export const observing = <T>(observer: Observer, work: () => T): T => running.run(observer, work);

/** Tells the observer of the running code, if there is one. */
export const tellObserver = (work: EndedWork): void => running.value?.ended(work);

/** Whether the observer of the running code keeps spans. */
export const spansAreKept = (): boolean => running.value?.keepsSpans ?? false;

/** Milliseconds since 1970 on the clock of durations. */
export const wallTime = (): number => performance.timeOrigin + performance.now();

/**
 * Runs work in a span of its own and tells the observer how it ended.
 * @param run may say in its own words how it ended
 * @param span below the running one by default
 * @throws whatever the work throws
 */
export async function observed<T>(
  work: Work,
  run: (say: (end: WorkEnd) => void) => Promise<T>,
  span: TraceContext = childTrace(),
): Promise<T> {
  const observer = running.value;
  const startedAt = wallTime();
  let said: WorkEnd | undefined;
  const say = (end: WorkEnd): void => {
    said = end;
  };
  const ended = (end: WorkEnd): void =>
    observer?.ended({
      ...work,
      ...end,
      attributes: { ...work.attributes, ...end.attributes },
      failed: end.failed ?? false,
      span,
      startedAt,
      endedAt: wallTime(),
    });
  try {
    const result = await inTrace(span, () => run(say));
    ended(said ?? { outcome: 'ok' });
    return result;
  } catch (error) {
    ended({ ...(said ?? { outcome: error instanceof WindlassError ? error.code : 'failed' }), failed: true });
    throw error;
  }
}

const hexOf = (digits: number, parts: readonly (string | number)[]): string => {
  const id = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, digits);
  return /^0+$/.test(id) ? '1'.padStart(digits, '0') : id;
};

/** The trace of an operation: its identifier without dashes, so that whoever knows the one knows the other, in any process and after any restart. */
export const traceIdOf = (operationId: string): string => {
  const digits = operationId.replaceAll('-', '').toLowerCase();
  return /^[0-9a-f]{32}$/.test(digits) && !/^0+$/.test(digits) ? digits : hexOf(32, ['trace', operationId]);
};

/** The span of the request that an operation was accepted with: the root of its trace. */
export const acceptanceTrace = (operationId: string): TraceContext => ({
  traceId: traceIdOf(operationId),
  spanId: hexOf(16, ['request', operationId]),
  sampled: true,
  fields: { operationId },
});

/** The span of an operation. @param internal nobody asked for it over REST */
export const operationTrace = (operationId: string, internal = false): TraceContext => ({
  ...acceptanceTrace(operationId),
  spanId: hexOf(16, ['operation', operationId]),
  ...(internal ? {} : { parentId: acceptanceTrace(operationId).spanId }),
});

/** The span of one claim of a step: each claim has another epoch, so a second one is a second span. */
export const stepTrace = ({
  operationId,
  stepId,
  epoch,
}: {
  operationId: string;
  stepId: string;
  epoch: number;
}): TraceContext => ({
  traceId: traceIdOf(operationId),
  spanId: hexOf(16, ['step', operationId, stepId, epoch]),
  parentId: operationTrace(operationId).spanId,
  sampled: true,
  fields: { operationId, stepId },
});
