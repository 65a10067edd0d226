import { beforeAll, describe, vi } from 'vitest';
import { everyPoint } from './support/every-point.js';
import { loadSample, type Sample } from './support/samples.js';
import { scenesOn } from './support/scenes.js';

vi.mock('node:crypto', async (original) => ({
  ...(await original<typeof import('node:crypto')>()),
  ...(await import('./support/counted-ids.js')).countedIds,
}));

let sample: Sample;

beforeAll(async () => {
  sample = await loadSample('kubernetes');
});

describe('a Kubernetes cluster of three VMs with the hooks of its driver', () => {
  for (const scene of scenesOn('kubernetes')) everyPoint(() => sample, scene, { oneNode: true, stories: 'by-itself' });
});
