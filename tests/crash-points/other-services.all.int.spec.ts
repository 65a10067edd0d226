import { beforeAll, describe, vi } from 'vitest';
import { everyPoint } from './support/every-point.js';
import { registrySample, storageSample } from './support/other-services-samples.js';
import type { Sample } from './support/samples.js';
import { PRIVATE_REGISTRY, scenesOn, WITH_STORAGE } from './support/scenes.js';

vi.mock('node:crypto', async (original) => ({
  ...(await original<typeof import('node:crypto')>()),
  ...(await import('./support/counted-ids.js')).countedIds,
}));

const samples = new Map<string, Sample>();

beforeAll(async () => {
  samples.set(WITH_STORAGE, await storageSample()).set(PRIVATE_REGISTRY, await registrySample());
});

describe('a cluster with a storage server and registries, by the real actions of all services', () => {
  for (const scene of scenesOn(WITH_STORAGE)) everyPoint(() => samples.get(WITH_STORAGE)!, scene, { oneNode: true, each: 23 });
});

describe('a registry of images on a VM with a volume, by the real actions of all services', () => {
  for (const scene of scenesOn(PRIVATE_REGISTRY)) everyPoint(() => samples.get(PRIVATE_REGISTRY)!, scene, { each: 7 });
});
