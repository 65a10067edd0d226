import { beforeAll, describe, vi } from 'vitest';
import { everyPoint } from './support/every-point.js';
import { kubespraySample } from './support/kubespray-sample.js';
import type { Sample } from './support/samples.js';
import { BY_KUBESPRAY, scenesOn } from './support/scenes.js';

vi.mock('node:crypto', async (original) => ({
  ...(await original<typeof import('node:crypto')>()),
  ...(await import('./support/counted-ids.js')).countedIds,
}));

let sample: Sample;

beforeAll(async () => {
  sample = await kubespraySample();
});

/** The emulator tells a server's age in whole seconds, and VNFCs stand in the order of their age: of two workers the healed one stands now here, now there. */
const scenes = scenesOn(BY_KUBESPRAY).filter(({ title }) => title !== 'HEAL of a worker');

describe('a cluster that an Ansible server makes, behind a load balancer on a VM', () => {
  for (const scene of scenes) everyPoint(() => sample, scene, { oneNode: true, each: 23, stories: 'by-itself' });
});
