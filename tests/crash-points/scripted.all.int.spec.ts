import { sandboxed } from '@windlass/infra-driver/testing';
import { afterEach, beforeAll, describe, expect, vi } from 'vitest';
import { everyPoint } from './support/every-point.js';
import type { Sample } from './support/samples.js';
import { scenesOn } from './support/scenes.js';
import { scriptedSample } from './support/scripted-sample.js';

vi.mock('node:crypto', async (original) => ({
  ...(await original<typeof import('node:crypto')>()),
  ...(await import('./support/counted-ids.js')).countedIds,
}));

let sample: Sample;

beforeAll(async () => {
  sample = await scriptedSample();
});
// What has just ended is on its way out for a moment.
afterEach(() => expect.poll(sandboxed).toEqual([]));

describe('a VNF whose package computes its data by a script', () => {
  for (const scene of scenesOn('scripted')) {
    everyPoint(() => sample, scene, { stories: 'by-itself' });
    everyPoint(() => sample, scene, { stories: 'with-a-person', step: 'run-user-data' });
  }
});
