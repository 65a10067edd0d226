import { beforeAll, describe, vi } from 'vitest';
import { everyPoint } from './support/every-point.js';
import { loadSample, type Sample } from './support/samples.js';
import { CLUSTER_CHANGED, sceneTitled } from './support/scenes.js';

vi.mock('node:crypto', async (original) => ({
  ...(await original<typeof import('node:crypto')>()),
  ...(await import('./support/counted-ids.js')).countedIds,
}));

let sample: Sample;

beforeAll(async () => {
  sample = { ...(await loadSample('kubernetes')), name: CLUSTER_CHANGED };
});

/** An undisturbed run takes half a second with what comes before it: of its 300 to 400 points each seventh is tried, and all with `CRASH_POINTS=all`. */
describe('a Kubernetes cluster whose only master is healed, from its snapshot', () => {
  everyPoint(() => sample, sceneTitled('HEAL of the only master'), { oneNode: true, each: 7, stories: 'by-itself' });
});
