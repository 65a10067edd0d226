import { beforeAll, describe, vi } from 'vitest';
import { scalingPackage } from '../support/scaling-package.js';
import { everyPoint } from './support/every-point.js';
import { readSample, type Sample } from './support/samples.js';
import { scenesOn } from './support/scenes.js';

vi.mock('node:crypto', async (original) => ({
  ...(await original<typeof import('node:crypto')>()),
  ...(await import('./support/counted-ids.js')).countedIds,
}));

let sample: Sample;

beforeAll(async () => {
  sample = await readSample('scaling', scalingPackage('b1bb0ce7-ebca-4fa7-95ed-4840d70a1177'));
});

/** Stories in which a person does something are those of scaling.all.unit.spec.ts. */
describe('a VNF of three groups that are scaled', () => {
  for (const scene of scenesOn('scaling')) everyPoint(() => sample, scene, { stories: 'by-itself' });
});
