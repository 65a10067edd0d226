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
  sample = { ...(await loadSample('cnf')), alsoSeen: (world) => Promise.resolve(world.cluster.inventory) };
});

describe('a VNF of containers in two namespaces', () => {
  for (const scene of scenesOn('cnf')) everyPoint(() => sample, scene);
});
