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

describe('a cluster that an Ansible server makes, behind a load balancer on a VM', () => {
  for (const scene of scenesOn(BY_KUBESPRAY)) everyPoint(() => sample, scene, { oneNode: true, each: 23, stories: 'by-itself' });
});
