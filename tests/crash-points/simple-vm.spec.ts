import { INTERNAL_KINDS, SAGAS } from '@windlass/lifecycle';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { everyPoint } from './support/every-point.js';
import { loadSample, type Sample } from './support/samples.js';
import { scenesOf, scenesOn } from './support/scenes.js';

vi.mock('node:crypto', async (original) => ({
  ...(await original<typeof import('node:crypto')>()),
  ...(await import('./support/counted-ids.js')).countedIds,
}));

let sample: Sample;

beforeAll(async () => {
  sample = await loadSample('simple-vm');
});

it.each([...SAGAS.map(({ operation }) => operation), ...INTERNAL_KINDS])(
  '%s has a scene, so that its crash points are tried',
  (kind) => {
    expect(scenesOf(kind), 'rows in SCENES of tests/crash-points/support/scenes.ts').not.toEqual([]);
  },
);

describe('a VNF of one VM without hooks', () => {
  for (const scene of scenesOn('simple-vm')) everyPoint(() => sample, scene);
});
