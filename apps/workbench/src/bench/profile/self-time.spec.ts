import { describe, expect, it } from 'vitest';
import type { CpuProfile } from './cpu-profile.js';
import { NOBODY, placeOf, timeSpent } from './self-time.js';

const node = (id: number, functionName: string, url: string, children: number[] = []) => ({
  id,
  callFrame: { functionName, url },
  children,
});

const SAGA = 'file:///home/me/windlass/libs/saga/dist/coordinator/coordinator.js';
const PG = 'file:///home/me/windlass/node_modules/pg/lib/client.js';

/** The root calls ours, which calls pg, which calls a native function; and Node hands pg an event. */
const profile: CpuProfile = {
  nodes: [
    node(1, '(root)', '', [2, 5, 6, 7]),
    node(2, 'claim', SAGA, [3]),
    node(3, 'query', PG, [4]),
    node(4, 'writev', ''),
    node(5, '(idle)', ''),
    node(6, '(garbage collector)', ''),
    node(7, 'onread', 'node:internal/stream_base_commons', [8]),
    node(8, 'parse', PG),
  ],
  samples: [2, 2, 3, 4, 4, 5, 5, 5, 5, 6, 7, 8, 8, 8],
};

describe('where a service’s time goes', () => {
  it.each([
    [SAGA, 'libs/saga/coordinator'],
    ['file:///x/apps/saga-coordinator/dist/main.js', 'apps/saga-coordinator'],
    [PG, 'pg'],
    ['file:///x/node_modules/@nats-io/nats-core/lib/a.js', '@nats-io/nats-core'],
    ['node:internal/streams/writable', 'node:internal/streams'],
    ['node:net', 'node:net'],
  ])('is told by package and folder: %s', (url, place) => {
    expect(placeOf({ functionName: 'f', url })).toBe(place);
  });

  it('is the share of the looks, without idling, of the processor time; native functions are their callers’', () => {
    const spent = timeSpent(profile, 100);
    const own = Object.fromEntries(spent.map((one) => [one.of, one.own]));
    expect(own).toEqual({
      pg: 60,
      'libs/saga/coordinator': 20,
      '(garbage collector)': 10,
      'node:internal/stream_base_commons': 10,
      [NOBODY]: 0,
    });
  });

  it('is charged to the folder of ours that called what is not ours, and to nobody where none did', () => {
    const withCalled = Object.fromEntries(timeSpent(profile, 100).map((one) => [one.of, one.withCalled]));
    expect(withCalled).toMatchObject({ 'libs/saga/coordinator': 50, [NOBODY]: 40, '(garbage collector)': 10 });
  });

  it('is nothing of a service that did nothing', () => {
    expect(timeSpent({ nodes: [node(1, '(root)', '')], samples: [] }, 5)).toEqual([]);
  });
});
