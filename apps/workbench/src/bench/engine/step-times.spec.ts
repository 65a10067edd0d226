import type { ServedRequest } from '@windlass/lab';
import { describe, expect, it } from 'vitest';
import { ownNames, ownTimes, type WorkerStep } from './step-times.js';

const MINE = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
const SERVER = '33333333-3333-4333-8333-333333333333';
const IMAGE = '44444444-4444-4444-8444-444444444444';

const step: WorkerStep = {
  operationId: 'o',
  vnfInstanceId: MINE,
  id: 'create-stack',
  service: 'infra-driver',
  readyAt: 1_000,
  claimedAt: 1_010,
  endedAt: 1_100,
};
const request = (at: number, took: number, path: string): ServedRequest => ({
  at,
  took,
  path,
  service: '',
  method: 'GET',
  status: 200,
});

describe('the engine’s own time of a step', () => {
  it('is the wait for the claim, and what of the step is not between its first and last request', () => {
    const requests = [request(1_015, 5, `/stacks/vnf-${MINE}`), request(1_060, 30, `/servers/${SERVER}`)];
    const names = new Map([[MINE, [MINE, SERVER]]]);
    expect(ownTimes([step], requests, names)).toEqual([{ step: 'create-stack', before: 10, around: 90 - 75 }]);
  });

  it('ends where the stack is asked for, and not with the first look at it, which may be sent much later', () => {
    const requests = [{ ...request(1_015, 5, '/stacks'), made: SERVER }, request(1_080, 5, `/stacks?id=${SERVER}`)];
    const names = new Map([[MINE, [MINE, SERVER]]]);
    expect(ownTimes([step], requests, names)).toEqual([{ step: 'create-stack', before: 10, around: 90 - 70 }]);
    expect(ownTimes([step], requests, new Map([[MINE, [MINE]]]))).toEqual([{ step: 'create-stack', before: 10, around: 90 }]);
  });

  it('is not made smaller by requests of others or of other steps', () => {
    const requests = [
      request(900, 5, `/stacks/vnf-${MINE}`),
      request(1_012, 80, `/stacks/vnf-${OTHER}`),
      request(1_015, 5, `/stacks/vnf-${MINE}`),
      request(1_101, 5, `/stacks/vnf-${MINE}`),
    ];
    expect(ownTimes([step], requests, new Map([[MINE, [MINE]]]))).toEqual([{ step: 'create-stack', before: 10, around: 85 }]);
  });

  it('is the whole of a step that asked the VIM nothing', () => {
    expect(ownTimes([step], [], new Map())).toEqual([{ step: 'create-stack', before: 10, around: 90 }]);
  });

  it('tells what belongs to one instance alone from what several share', () => {
    const names = ownNames([
      { id: MINE, text: `{"server":"${SERVER}","image":"${IMAGE}"}` },
      { id: OTHER, text: `{"image":"${IMAGE}"}` },
    ]);
    expect(names).toEqual(
      new Map([
        [MINE, [MINE, SERVER]],
        [OTHER, [OTHER]],
      ]),
    );
  });
});
