import type { JsonObject } from '@windlass/foundation';
import { compilePlan } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import type { SagaContext } from '../../operation/operation-saga.js';
import { heal } from './heal.saga.js';
import { healRequestOptions } from './heal-request.js';

const KEEP = { tacker_extension_heal_include_block_storage: false };

describe('what a heal request asks for', () => {
  it.each([
    [{}, { vnfcIds: null, recreates: true, includesStorage: true }],
    [{ additionalParams: { all: true } }, { vnfcIds: null, recreates: true, includesStorage: true }],
    [{ additionalParams: { all: false } }, { vnfcIds: null, recreates: false, includesStorage: false }],
    [{ additionalParams: { all: false, ...KEEP } }, { vnfcIds: null, recreates: false, includesStorage: false }],
    [{ vnfcInstanceId: ['a', 'b', 'a'] }, { vnfcIds: ['a', 'b'], recreates: false, includesStorage: true }],
    [
      { vnfcInstanceId: ['a'], additionalParams: KEEP },
      { vnfcIds: ['a'], recreates: false, includesStorage: false },
    ],
    [
      { vnfcInstanceId: ['a'], additionalParams: { all: false } },
      { vnfcIds: ['a'], recreates: false, includesStorage: false },
    ],
    [
      { vnfcInstanceId: ['a'], additionalParams: { all: true, ...KEEP } },
      { vnfcIds: ['a'], recreates: false, includesStorage: false },
    ],
  ] as [JsonObject, object][])('%j', (request, requested) => {
    expect(healRequestOptions(request)).toMatchObject(requested);
  });
});

describe('the steps of a heal', () => {
  const planned = (request: JsonObject) =>
    compilePlan(
      heal.plan({
        opOcc: { request, draft: {} },
        instance: { id: '7d7b2fd4-6df1-4a3c-9a63-0d0b8a1a6b55', instantiated: null, desired: { flavourId: 'default' } },
        package: { model: { flavours: [] } },
        flavourId: 'default',
      } as unknown as SagaContext),
    ).steps;
  const named = planned({ vnfcInstanceId: ['a'] });
  const whole = planned({});

  it('mark and replace named VNFCs, and delete and make the whole anew', () => {
    expect(named.map(({ id }) => id)).toEqual([
      'grant',
      'find-heal-targets',
      'compare-resources',
      'mark-unhealthy',
      'replace-servers',
      'read-stack',
      'keep-resources',
      'publish-heal',
    ]);
    expect(whole.map(({ id }) => id)).toEqual([
      'grant',
      'find-heal-targets',
      'compare-resources',
      'delete-stack',
      'prepare-healed-stack',
      'create-stack',
      'read-stack',
      'keep-resources',
      'publish-heal',
    ]);
  });

  it('have their pivot where the first server goes, and not before', () => {
    const pivots = (steps: typeof named) => steps.filter(({ traits }) => traits.pivot === true).map(({ id }) => id);
    expect([pivots(named), pivots(whole)]).toEqual([['replace-servers'], ['delete-stack']]);
  });

  it('delete the stack that was found: the draft’s own is the new one by the time of a retry', () => {
    expect(JSON.stringify(whole.find(({ id }) => id === 'delete-stack')?.input.stack)).toContain('step:compare-resources');
  });
});
