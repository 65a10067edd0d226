import { INTERNAL_KINDS, OPERATIONS } from '@windlass/lifecycle';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { everyPoint } from './support/every-point.js';
import { loadSample, type Sample } from './support/samples.js';
import { scenesOn, withoutScene } from './support/scenes.js';

vi.mock('node:crypto', async (original) => ({
  ...(await original<typeof import('node:crypto')>()),
  ...(await import('./support/counted-ids.js')).countedIds,
}));

let sample: Sample;

beforeAll(async () => {
  sample = await loadSample('simple-vm');
});

it('every operation and every internal saga has a scene, so that its crash points are tried', () => {
  const kinds = [...OPERATIONS.all.map(({ operation }) => operation), ...INTERNAL_KINDS];
  expect(withoutScene(kinds), 'have no row in SCENES of tests/crash-points/support/scenes.ts').toEqual([]);
  expect(withoutScene([...kinds, 'NEW'])).toEqual(['NEW']);
});

describe('a VNF of one VM without hooks', () => {
  for (const scene of scenesOn('simple-vm')) everyPoint(() => sample, scene);
});

// Until it is granted an operation that fails is over: there is nothing for a person to do.
describe('a VNF of one VM whose grant an NFVO gives', () => {
  for (const scene of scenesOn('simple-vm with an NFVO')) everyPoint(() => sample, scene, { stories: 'by-itself' });
});
