import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  childTrace,
  currentTrace,
  inTrace,
  parseTraceparent,
  receivedTrace,
  startTrace,
  traceparentOf,
  withTraceFields,
} from './trace-context.js';

describe('a trace', () => {
  it('goes over the message bus as W3C Trace Context says', () => {
    const trace = startTrace();
    expect(traceparentOf(trace)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(parseTraceparent(traceparentOf(trace))).toEqual({ ...trace, fields: {} });
    expect(traceparentOf({ ...trace, sampled: false })).toMatch(/-00$/);
  });

  it.each([
    undefined,
    '',
    'garbage',
    '00-00000000000000000000000000000000-0123456789abcdef-01',
    '00-0123456789abcdef0123456789abcdef-0000000000000000-01',
    '00-0123456789ABCDEF0123456789abcdef-0123456789abcdef-01',
    '00-0123456789abcdef0123456789abcdef-0123456789abcdef-01-more',
    'ff-0123456789abcdef0123456789abcdef-0123456789abcdef-01',
  ])('begins anew where the header is %s', (header) => {
    expect(parseTraceparent(header)).toBeUndefined();
    expect(receivedTrace(header).traceId).toMatch(/^[0-9a-f]{32}$/);
  });

  it('reads a version it does not know by what it knows', () => {
    const later = parseTraceparent('01-0123456789abcdef0123456789abcdef-0123456789abcdef-03-more');
    expect(later).toMatchObject({ traceId: '0123456789abcdef0123456789abcdef', sampled: true });
  });

  it('is seen by everything its work awaits, and by nothing beside it', async () => {
    const seen = async () => {
      await turn();
      return currentTrace()?.traceId;
    };
    const [one, two] = [startTrace(), startTrace()];
    expect(await Promise.all([inTrace(one, seen), inTrace(two, seen), seen()])).toEqual([one.traceId, two.traceId, undefined]);
  });

  it('gives its fields to the spans below it', () => {
    const fields = inTrace(startTrace({ operationId: 'o' }), () =>
      withTraceFields({ stepId: 's' }, () => currentTrace()?.fields),
    );
    expect(fields).toEqual({ operationId: 'o', stepId: 's' });
    const parent = startTrace();
    expect(childTrace({}, parent)).toMatchObject({ traceId: parent.traceId });
    expect(childTrace({}, parent).spanId).not.toBe(parent.spanId);
  });

  it('never gives two spans the same id, also where random bytes are drawn anew', () => {
    const parent = startTrace();
    const spans = Array.from({ length: 3_000 }, () => childTrace({}, parent).spanId);
    expect(spans.filter((id) => !/^[0-9a-f]{16}$/.test(id))).toEqual([]);
    expect(new Set(spans).size).toBe(3_000);
    const traces = Array.from({ length: 1_000 }, () => startTrace().traceId);
    expect(traces.filter((id) => !/^[0-9a-f]{32}$/.test(id))).toEqual([]);
    expect(new Set(traces).size).toBe(1_000);
  });
});
