import { beforeAll, describe, vi } from 'vitest';
import { everyPoint } from './support/every-point.js';
import { loadSample, type Sample } from './support/samples.js';
import { CLUSTER_OF_MASTERS, sceneTitled } from './support/scenes.js';

vi.mock('node:crypto', async (original) => ({
  ...(await original<typeof import('node:crypto')>()),
  ...(await import('./support/counted-ids.js')).countedIds,
}));

let sample: Sample;

beforeAll(async () => {
  sample = { ...(await loadSample('kubernetes')), name: CLUSTER_OF_MASTERS };
});

/** An undisturbed run takes half a second with what comes before it: of its 300 to 400 points each seventh is tried, and all with `CRASH_POINTS=all`. */
describe('a Kubernetes cluster of three masters that somebody cancels, retries or rolls back', () => {
  for (const scene of ['INSTANTIATE', 'HEAL of a master', 'SCALE out of masters', 'SCALE in of masters'])
    everyPoint(() => sample, sceneTitled(scene), { oneNode: true, each: 7, stories: 'with-a-person' });
});
