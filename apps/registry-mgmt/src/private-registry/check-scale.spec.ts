import type { JsonObject } from '@windlass/foundation';
import { expect, it } from 'vitest';
import { registryParts } from '../service.js';
import { params, REGISTRY, requestOf } from './testing/bench.js';

const asked = (operation: 'SCALE' | 'SCALE_TO_LEVEL', request: JsonObject, countsAfter: Record<string, number>) =>
  registryParts.driver
    .validate(
      requestOf({
        operation,
        request,
        countsAfter,
        requestParams: {},
        instantiateParams: params,
        instance: { vnfcs: [REGISTRY], sharedCps: [], affectedVnfcs: [] },
      }),
    )
    .invalidParams.map(({ path, reason }) => `${path} ${reason}`);

it.each([
  ['SCALE', { type: 'SCALE_OUT', aspectId: 'registry' }, 2, '/aspectId'],
  ['SCALE', { type: 'SCALE_IN', aspectId: 'registry' }, 0, '/aspectId'],
  ['SCALE_TO_LEVEL', { instantiationLevelId: 'two' }, 2, '/instantiationLevelId'],
  ['SCALE_TO_LEVEL', { scaleInfo: [{ aspectId: 'registry', scaleLevel: 1 }] }, 2, '/scaleInfo'],
] as const)('a registry does not scale: %s with %j is refused at its path', (operation, request, count, path) => {
  expect(asked(operation, request as unknown as JsonObject, { PrivateRegistryVDU: count })).toEqual([
    expect.stringMatching(new RegExp(`^${path} would make ${count} VMs of 1 of the registry .* does not scale`)),
  ]);
});

it('what else a VNF has beside its registry scales', () => {
  expect(asked('SCALE', { type: 'SCALE_OUT', aspectId: 'others' }, { PrivateRegistryVDU: 1, OtherVDU: 3 })).toEqual([]);
});
