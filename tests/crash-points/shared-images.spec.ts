import { beforeAll, describe, vi } from 'vitest';
import { everyPoint } from './support/every-point.js';
import { loadSample, type Sample } from './support/samples.js';
import { scenesOn, SHARING } from './support/scenes.js';

vi.mock('node:crypto', async (original) => ({
  ...(await original<typeof import('node:crypto')>()),
  ...(await import('./support/counted-ids.js')).countedIds,
}));

let sample: Sample;

beforeAll(async () => {
  const simple = await loadSample('simple-vm');
  sample = {
    ...simple,
    name: SHARING,
    sharesImages: true,
    alsoSeen: ({ store }) => Promise.resolve(store.shared.all().map(({ state, instances }) => ({ state, instances }))),
  };
});

describe('a VNF of one VM that shares the image of its package', () => {
  // `CRASH_POINTS=all` tries all of them.
  for (const scene of scenesOn(SHARING)) everyPoint(() => sample, scene, { each: 3 });
});
