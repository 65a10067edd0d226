import { randomFillSync } from 'node:crypto';
import { ContextVariable } from './context-variable.js';

/** Where the running code stands in a trace (W3C Trace Context), and what logs say about it. */
export interface TraceContext {
  /** 32 hex digits, not all zero. */
  readonly traceId: string;
  /** 16 hex digits, not all zero: the span this code is in. */
  readonly spanId: string;
  /** The span above it; undefined: none that is known here. */
  readonly parentId?: string;
  readonly sampled: boolean;
  /** Goes into every log line written in this context: `operationId`, `stepId`. */
  readonly fields: Readonly<Record<string, string>>;
}

/** One for the process: contexts belong to asynchronous call chains, not to services, so that many services can share it. */
const running = new ContextVariable<TraceContext>('trace');

/** Random bytes that are asked of the system together: one question for each span costs as much as all else of a span. */
const drawn = Buffer.alloc(4_096);
let used = drawn.length;

/** Each byte is part of one id alone. */
const newId = (bytes: number): string => {
  if (used + bytes > drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  const id = drawn.toString('hex', used, used + bytes);
  used += bytes;
  return /^0+$/.test(id) ? newId(bytes) : id;
};

/** The context of the running code; undefined outside of any. */
export const currentTrace = (): TraceContext | undefined => running.value;

/** A new trace. */
export const startTrace = (fields: Readonly<Record<string, string>> = {}): TraceContext => ({
  traceId: newId(16),
  spanId: newId(8),
  sampled: true,
  fields,
});

/** A span below the given or running one, with its fields and more; where there is none, a new trace that nobody asked to have recorded. */
export function childTrace(fields: Readonly<Record<string, string>> = {}, parent = currentTrace()): TraceContext {
  if (parent === undefined) return { ...startTrace(fields), sampled: false };
  return { ...parent, spanId: newId(8), parentId: parent.spanId, fields: { ...parent.fields, ...fields } };
}

/** Runs work in a context: everything it awaits sees it through {@link currentTrace}. */
export const inTrace = <T>(context: TraceContext, work: () => T): T => running.run(context, work);

/** Runs work in a child of the running context that has these log fields too. */
export const withTraceFields = <T>(fields: Readonly<Record<string, string>>, work: () => T): T =>
  inTrace(childTrace(fields), work);

/** The `traceparent` header of the context: `00-<trace id>-<span id>-<flags>`. */
export const traceparentOf = ({ traceId, spanId, sampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * The context a `traceparent` names, or undefined where it is absent or malformed (W3C Trace Context 3.2.2: then a new trace is begun).
 * A version above 00 is read by what version 00 defines.
 */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  const [, version, traceId, spanId, flags, rest] = TRACEPARENT.exec(header ?? '') ?? [];
  if (version === undefined || traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1, fields: {} };
}

/** The context to handle a message in: a span below its sender's, or a new trace. */
export function receivedTrace(header: string | undefined, fields: Readonly<Record<string, string>> = {}): TraceContext {
  const sender = parseTraceparent(header);
  return sender === undefined ? startTrace(fields) : childTrace(fields, sender);
}
