import { expect, it } from 'vitest';
import type { OpOccRecord } from '../records/records.js';
import { retriedWith, retryWith } from './retried-with.js';

it('steps are given what retries have changed, and nothing else of the request', () => {
  const opOcc = {
    request: { aspectId: 'a', additionalParams: { drain_force: false, password: 'hunter2' } },
    draft: {},
  } as unknown as OpOccRecord;
  expect(retriedWith(opOcc)).toEqual({});
  retryWith(opOcc, { drain_force: true, password: 'hunter2' }, ['drain_force']);
  expect(retriedWith(opOcc)).toEqual({ drain_force: true });
  retryWith(opOcc, { drain_force: true, drain_timeout_seconds: 9, password: 'hunter2' }, ['drain_timeout_seconds']);
  expect(retriedWith(opOcc)).toEqual({ drain_force: true, drain_timeout_seconds: 9 });
  expect(opOcc.request).toMatchObject({ aspectId: 'a', additionalParams: { drain_force: true } });
});
