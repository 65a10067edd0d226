import { validateBody, OperateVnfRequestBody } from '@windlass/sol003';
import { describe, expect, it } from 'vitest';
import { operateBody } from './vnf-operate.js';

describe('the request of vnf operate', () => {
  it.each([
    ['start', { vnfc: [] }, { changeStateTo: 'STARTED' }],
    ['stop', { vnfc: [] }, { changeStateTo: 'STOPPED', stopType: 'FORCEFUL' }],
    [
      'stop',
      { vnfc: ['a', 'b'], graceful: '30' },
      { changeStateTo: 'STOPPED', stopType: 'GRACEFUL', gracefulStopTimeout: 30, vnfcInstanceId: ['a', 'b'] },
    ],
  ] as const)('%s with %j is %j, which the API takes', (to, options, body) => {
    const made = operateBody(to, { ...options, vnfc: [...options.vnfc] });
    expect(made).toEqual(body);
    expect(validateBody(OperateVnfRequestBody, made)).toMatchObject(body);
  });
});
