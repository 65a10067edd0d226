import { describe, expect, it } from 'vitest';
import { creationIn } from './heat-log.js';
import type { RecordedRequest } from './recorder.js';
import { timelineOf } from './timeline.js';

const request = (at: number, until: number, service: string, change: Partial<RecordedRequest> = {}): RecordedRequest => ({
  service,
  method: 'GET',
  path: '/v1/p/things',
  status: 200,
  at,
  until,
  ...change,
});

const seen = {
  sentAt: 1_000,
  completedAt: 5_000,
  heat: { began: 1_500, ended: 4_500 },
  requests: [
    request(4_700, 4_800, 'network'),
    request(1_050, 1_150, 'image', { method: 'POST' }),
    request(1_140, 1_200, 'image', { method: 'PUT' }),
    request(1_300, 1_550, 'orchestration', { method: 'POST', path: '/v1/p/stacks', status: 201 }),
    request(2_000, 2_100, 'orchestration', { stackStatus: 'CREATE_IN_PROGRESS' }),
    request(4_450, 4_600, 'orchestration', { stackStatus: 'CREATE_COMPLETE' }),
    request(4_650, 4_750, 'compute'),
  ],
};

describe('the timeline of an instantiation', () => {
  it('has stages that are together the whole', () => {
    const { stages, postToCompleted } = timelineOf(seen);
    expect(stages).toEqual({
      images: 150,
      before: 150,
      asking: 200,
      heat: 3_000,
      noticing: 100,
      reading: 200,
      publishing: 200,
    });
    expect(Object.values(stages).reduce((sum, part) => sum + part, 0)).toBe(postToCompleted);
  });

  it('counts a moment once, however many requests were under way, and not while Heat was at work', () => {
    // Images 1050 to 1200, POST 1300 to 1500, the look's end 4500 to 4600, compute and network 4650 to 4800.
    expect(timelineOf(seen)).toMatchObject({ overhead: 1_000, outstanding: 600, own: 400 });
  });

  it('tells looks at the stack from other requests', () => {
    const { looks, requests } = timelineOf(seen);
    expect(looks).toBe(2);
    expect(requests).toEqual({ image: 2, orchestration: 1, compute: 1, network: 1 });
  });

  it('is not made up where nobody saw the stack complete', () => {
    const requests = seen.requests.filter(({ stackStatus }) => stackStatus !== 'CREATE_COMPLETE');
    expect(() => timelineOf({ ...seen, requests })).toThrow('no request saw the stack complete');
  });
});

describe('the log of Heat’s engine', () => {
  const line = (time: string, text: string) =>
    `2026-11-22 ${time} 4711 DEBUG heat.engine.stack [None req-1 demo - - - - -] ${text}`;
  const log = [
    line('07:40:01.234', 'Persisting stack vnf-a status CREATE IN_PROGRESS'),
    line('07:40:01.900', 'Persisting stack vnf-a-group-x status CREATE IN_PROGRESS'),
    line('07:40:03.001', 'Persisting stack vnf-a-group-x status CREATE COMPLETE'),
    line('07:40:04.005', 'Persisting stack vnf-a status CREATE COMPLETE'),
  ].join('\n');

  it('gives a stack’s own begin and end, and not those of the stacks nested in it', () => {
    const { began, ended } = creationIn(log, 'vnf-a');
    expect(ended - began).toBe(2_771);
    expect(began).toBe(new Date(2026, 10, 22, 7, 40, 1, 234).getTime());
  });

  it('is no source of times for a stack that it does not name', () => {
    expect(() => creationIn(log, 'vnf-b')).toThrow('no line for CREATE IN_PROGRESS of stack vnf-b');
  });
});
