import type { EndedWork, TraceContext, WorkAttributes } from '@windlass/foundation';

/** Characters of a text in an attribute: what is longer is no name. */
const MOST_TEXT = 256;

/** `SpanKind` and `StatusCode` of opentelemetry-proto's `trace.proto`. */
const KIND = { internal: 1, server: 2, client: 3 } as const;
const ERROR = 2;

/** A value as OTLP's JSON has it. 64-bit numbers are texts there. */
type OtlpValue = { stringValue: string } | { intValue: string } | { doubleValue: number } | { boolValue: boolean };

/** An attribute as OTLP's JSON has it. */
export interface OtlpAttribute {
  key: string;
  value: OtlpValue;
}

/** A span as OTLP's JSON has it (opentelemetry-proto 1.x, `trace.proto`): identifiers in hexadecimal, times in nanoseconds as texts. */
export interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: OtlpAttribute[];
  status: { code?: number; message?: string };
  links?: { traceId: string; spanId: string }[];
}

const valueOf = (value: string | number | boolean): OtlpValue => {
  if (typeof value === 'string') return { stringValue: value.slice(0, MOST_TEXT) };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
};

/** Attributes as OTLP has them. */
export const otlpAttributes = (attributes: WorkAttributes): OtlpAttribute[] =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));

const nanoseconds = (milliseconds: number): string => `${BigInt(Math.round(milliseconds * 1_000)) * 1_000n}`;

function kindOf({ kind, name }: EndedWork): number {
  if (kind === 'request' || kind === 'acceptance') return KIND.server;
  if (kind === 'vim' || kind === 'ssh') return KIND.client;
  if (kind === 'message') return name.startsWith('ask ') ? KIND.client : KIND.server;
  return KIND.internal;
}

/** What belongs to a trace even where no span above it is known. */
const ROOTS = new Set<EndedWork['kind']>(['acceptance', 'operation', 'step']);

/**
 * Whether work becomes a span: what belongs to an operation, or to a caller that wants its trace recorded. Of a claim whose lease was lost the
 * coordinator tells, for its worker may be dead.
 */
export function isRecorded({ kind, span, outcome }: EndedWork): boolean {
  if (kind === 'step' && outcome === 'lease-lost') return false;
  return ROOTS.has(kind) || (span.sampled && span.parentId !== undefined);
}

/** Ended work as a span. */
export function otlpSpan(work: EndedWork): OtlpSpan {
  const { span, name, startedAt, endedAt, attributes = {}, outcome, failed, links } = work;
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentId === undefined ? {} : { parentSpanId: span.parentId }),
    name: name.slice(0, MOST_TEXT),
    kind: kindOf(work),
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(Math.max(startedAt, endedAt)),
    attributes: otlpAttributes({ ...attributes, 'windlass.outcome': outcome }),
    status: failed ? { code: ERROR, message: outcome.slice(0, MOST_TEXT) } : {},
    ...(links === undefined ? {} : { links: links.map(({ traceId, spanId }: TraceContext) => ({ traceId, spanId })) }),
  };
}
