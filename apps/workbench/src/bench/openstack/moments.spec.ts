import { describe, expect, it } from 'vitest';
import { eventsIn } from './heat-log.js';
import { momentsOf, partsOf, requestSpan, under } from './moments.js';
import type { RecordedRequest } from './recorder.js';

const request = (at: number, until: number, what: string): RecordedRequest => {
  const [service = '', method = '', path = ''] = what.split(' ');
  return { service, method, path, status: 200, at, until };
};

const requests = [
  request(1_050, 1_150, 'image GET /v2/images'),
  request(1_100, 1_200, 'image GET /v2/images/a'),
  request(1_300, 1_900, 'orchestration POST /v1/p/stacks'),
  request(2_000, 2_100, 'orchestration GET /v1/p/stacks?limit=1&id=a'),
  request(4_450, 4_700, 'orchestration GET /v1/p/stacks?limit=1&id=a'),
  request(4_720, 4_800, 'orchestration GET /v1/p/stacks/vnf-a/a/resources?nested_depth=4'),
  request(4_780, 4_900, 'compute GET /v2.1/servers/b'),
];

describe('where the time of stacks went', () => {
  it('is told by parts that are together the whole', () => {
    const parts = partsOf({ sentAt: 1_000, endedAt: 5_000, heatEndedAt: 4_500, requests });
    expect(parts).toEqual({ before: 300, image: 150, heat: 3_200, noticing: 200, reading: 180, rest: 120 });
    const { image: _, ...whole } = parts!;
    expect(Object.values(whole).reduce((sum, part) => sum + part, 0)).toBe(4_000);
  });

  it('is of a deletion from its request on', () => {
    const ended = [
      request(1_030, 1_060, 'orchestration GET /v1/p/stacks/vnf-a/a'),
      request(1_080, 1_200, 'orchestration DELETE /v1/p/a'),
    ];
    expect(partsOf({ sentAt: 1_000, endedAt: 2_000, heatEndedAt: 1_900, requests: ended })).toMatchObject({
      before: 80,
      heat: 820,
    });
  });

  it('is not made up where Heat’s log has no end, or nobody asked for a stack', () => {
    expect(partsOf({ sentAt: 1_000, endedAt: 5_000, heatEndedAt: undefined, requests })).toBeUndefined();
    expect(partsOf({ sentAt: 1_000, endedAt: 5_000, heatEndedAt: 4_500, requests: [] })).toBeUndefined();
  });

  it('counts a moment once, and none outside', () => {
    const both = [
      { at: 0, until: 100 },
      { at: 50, until: 150 },
      { at: 60, until: 70 },
    ];
    expect(under(both, 10, 120)).toBe(110);
    expect(under(both, 200, 300)).toBe(0);
  });

  it('is told moment by moment without ids, in the order of beginnings', () => {
    const id = 'b08324e7-eb34-43b1-b128-1e6eebd8e15f';
    const look = {
      ...request(7, 9.111, `orchestration GET /v1/x/stacks?limit=1&id=${id}&id=${id}`),
      stackStatus: 'CREATE_COMPLETE',
    };
    const moments = momentsOf(2, [requestSpan(look), { from: 3, to: 8, what: 'step read-stack' }]);
    expect(moments).toEqual([
      { at: 1, took: 5, what: 'step read-stack' },
      { at: 5, took: 2.11, what: 'GET orchestration/v1/x/stacks?limit&id 200 CREATE_COMPLETE' },
    ]);
    expect(requestSpan(request(0, 1, `orchestration DELETE /stacks/vnf-${id}/${id}`)).what).toBe(
      'DELETE orchestration/stacks/vnf-*/* 200',
    );
  });

  it('has Heat’s events of the stacks themselves, not of those nested in them', () => {
    const line = (time: string, text: string) => `2026-11-22 ${time} 4711 DEBUG heat.engine.stack [-] Persisting stack ${text}`;
    const log = [
      line('07:40:01.234', 'vnf-a status CREATE IN_PROGRESS'),
      line('07:40:01.900', 'vnf-a-group-x status CREATE COMPLETE'),
      line('07:40:02.500', 'vnf-a status CREATE COMPLETE'),
      'another line',
    ].join('\n');
    const at = (ms: number): number => new Date(2026, 10, 22, 7, 40, 0, ms).getTime();
    expect(eventsIn(log, ['vnf-a'])).toEqual([
      { at: at(1_234), what: 'CREATE IN_PROGRESS vnf-a' },
      { at: at(2_500), what: 'CREATE COMPLETE vnf-a' },
    ]);
  });
});
