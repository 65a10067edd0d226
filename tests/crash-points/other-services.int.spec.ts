import { beforeAll, describe, expect, it, vi } from 'vitest';
import { everyPoint } from './support/every-point.js';
import { registrySample, storageSample } from './support/other-services-samples.js';
import type { Sample } from './support/samples.js';
import { PRIVATE_REGISTRY, sceneTitled, scenesOn, WITH_STORAGE } from './support/scenes.js';
import { crash, play } from './support/stories.js';

vi.mock('node:crypto', async (original) => ({
  ...(await original<typeof import('node:crypto')>()),
  ...(await import('./support/counted-ids.js')).countedIds,
}));

const samples = new Map<string, Sample>();

beforeAll(async () => {
  samples.set(WITH_STORAGE, await storageSample()).set(PRIVATE_REGISTRY, await registrySample());
});

it.each([
  [WITH_STORAGE, 'HEAL of a storage server'],
  [PRIVATE_REGISTRY, 'HEAL of a private registry'],
])('data on the volume of %s are those of before: %s', async (name, title) => {
  const { before, after } = await play(samples.get(name)!, sceneTitled(title), crash, undefined);
  expect(before.alsoSeen).toMatchObject({ fileSystems: [1] });
  expect(after.alsoSeen).toMatchObject({ fileSystems: [1] });
});

/** A sample of the points: others, and stories in which a person does something, are those of other-services.all.int.spec.ts. */
describe('a cluster with a storage server and registries, by the real actions of all services', () => {
  for (const scene of scenesOn(WITH_STORAGE))
    everyPoint(() => samples.get(WITH_STORAGE)!, scene, { oneNode: true, each: 59, stories: 'by-itself' });
});

describe('a registry of images on a VM with a volume, by the real actions of all services', () => {
  for (const scene of scenesOn(PRIVATE_REGISTRY))
    everyPoint(() => samples.get(PRIVATE_REGISTRY)!, scene, { each: 23, stories: 'by-itself' });
});
