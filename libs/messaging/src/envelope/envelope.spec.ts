import {
  InvariantError,
  millis,
  RequestError,
  TerminalError,
  TransientError,
  inTrace,
  startTrace,
  traceparentOf,
} from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { wakeUpEvent } from '../contracts/wake-up.js';
import { dataOf, encode, openEnvelope, UndecodableMessage } from './envelope.js';
import { errorData, errorFrom, errorRule } from './error-envelope.js';

const wakeUp = { operationId: 'o', stepId: 's', epoch: 3 };
const reopened = (bytes: Uint8Array) => dataOf(openEnvelope(bytes), 'step.doorbell', wakeUpEvent.data);
const changed = (change: Record<string, unknown>): Uint8Array => {
  const envelope = JSON.parse(Buffer.from(encode('step.doorbell', wakeUpEvent.data, wakeUp)).toString()) as Record<
    string,
    unknown
  >;
  return Buffer.from(JSON.stringify({ ...envelope, ...change }));
};

describe('an envelope', () => {
  it('comes out as it went in, with the tenant and the trace', () => {
    const trace = startTrace();
    const bytes = inTrace(trace, () => encode('step.doorbell', wakeUpEvent.data, wakeUp, { tenant: 'north', id: 'one' }));
    const envelope = openEnvelope(bytes);
    expect(envelope).toMatchObject({
      v: 1,
      id: 'one',
      type: 'step.doorbell',
      tenant: 'north',
      traceparent: traceparentOf(trace),
    });
    expect(reopened(bytes)).toEqual(wakeUp);
  });

  it('has an id of its own where none is given', () => {
    const ids = [1, 2].map(() => openEnvelope(encode('step.doorbell', wakeUpEvent.data, wakeUp)).id);
    expect(new Set(ids).size).toBe(2);
  });

  it('lets members pass that a later release adds', () => {
    expect(reopened(changed({ priority: 7 }))).toEqual(wakeUp);
  });

  it.each([
    [{ v: 2 }, 'a message is no envelope: /v must be equal to constant'],
    [{ id: '' }, '/id must NOT have fewer than 1 characters'],
    [{ id: undefined }, "must have required property 'id'"],
    [{ time: 'yesterday' }, '/time must match format "date-time"'],
    [{ type: 'step.bell' }, '/type is step.bell; expected step.doorbell'],
    [{ data: { operationId: 'o', stepId: 's', epoch: '3' } }, '/data/epoch must be integer'],
    [{ data: { ...wakeUp, input: {} } }, '/data must NOT have additional properties: "input"'],
    [{ data: null }, '/data must be object'],
  ])('is refused with the place that is wrong: %j', (change, message) => {
    expect(() => reopened(changed(change))).toThrow(UndecodableMessage);
    expect(() => reopened(changed(change))).toThrow(message);
  });

  it('is not sent with data that its contract forbids', () => {
    expect(() => encode('step.doorbell', wakeUpEvent.data, { ...wakeUp, epoch: -1 })).toThrow(InvariantError);
  });
});

describe('an error on the message bus', () => {
  it.each([
    new RequestError(422, 'a.b', 'wrong', { title: 'T', invalidParams: [{ path: '/x', reason: 'r' }] }),
    new TransientError('a.b', 'later', { retryAfter: millis(5), status: 429 }),
    new TransientError('a.b', 'later'),
    new TerminalError('a.b', 'no', { status: 502 }),
    new InvariantError('bug'),
  ])('is thrown as what it was: %s', (error) => {
    const data = errorData(error);
    expect(errorRule.check(data)).toEqual({ ok: true, value: data });
    const back = errorFrom(data);
    expect(back).toBeInstanceOf(error.constructor);
    expect(errorData(back)).toEqual(data);
  });

  it('shows nothing of an error that nobody recognised', () => {
    expect(JSON.stringify(errorData(new TypeError('token=abc')))).not.toContain('abc');
    expect(errorFrom(errorData('oops'))).toBeInstanceOf(InvariantError);
  });
});
