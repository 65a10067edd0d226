import { expect, it } from 'vitest';
import { failedByInstance, failedOperationPaths } from './failed-operations.js';

it('what waits for a decision is asked for of the instances that are shown, fifty at once', () => {
  expect(failedOperationPaths([])).toEqual([]);
  const [path = ''] = failedOperationPaths(['a', 'b']);
  expect(new URLSearchParams(path.split('?')[1]).get('filter')).toBe('(eq,operationState,FAILED_TEMP);(in,vnfInstanceId,a,b)');
  const ids = Array.from({ length: 120 }, (_, at) => `i${at}`);
  const asked = failedOperationPaths(ids).map((each) => decodeURIComponent(each).match(/\bi\d+/g) ?? []);
  expect(asked.map(({ length }) => length)).toEqual([50, 50, 20]);
  expect(asked.flat()).toEqual(ids);
});

it('an operation that waits is found by its instance', () => {
  const operation = { id: 'o', vnfInstanceId: 'a', operation: 'INSTANTIATE' as const };
  expect(failedByInstance([operation]).get('a')).toBe(operation);
  expect(failedByInstance([operation]).get('b')).toBeUndefined();
});
