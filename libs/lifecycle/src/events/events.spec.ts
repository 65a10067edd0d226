import { describe, expect, it } from 'vitest';
import { beginMessage, eventMessage } from './events.js';

describe('what is told of the lifecycle', () => {
  it('goes over the wire as it always did', () => {
    expect(eventMessage({ about: 'vnf', change: 'deleted', vnfInstanceId: 'v' })).toEqual({
      subject: 'windlass.event.vnf.deleted',
      message: { vnfInstanceId: 'v' },
    });
    const enabled = { change: 'enabled', vnfPkgId: 'p', vnfdId: 'd' } as const;
    expect(eventMessage({ about: 'package', ...enabled })).toEqual({
      subject: 'windlass.event.package.enabled',
      message: enabled,
    });
    const operation = { operationId: 'o', vnfInstanceId: 'v', operation: 'HEAL', operationState: 'FAILED_TEMP' } as const;
    expect(eventMessage({ about: 'operation', ...operation })).toEqual({
      subject: 'windlass.event.operation.FAILED_TEMP',
      message: operation,
    });
    expect(beginMessage('o')).toEqual({
      subject: 'windlass.step.saga-coordinator',
      message: { operationId: 'o', stepId: '@begin', epoch: 0 },
    });
  });
});
