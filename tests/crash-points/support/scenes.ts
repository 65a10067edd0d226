import type { JsonObject } from '@windlass/foundation';
import type { LcmOperation } from '@windlass/lifecycle';
import { scalingRequest } from '../../support/scaling-package.js';
import { sampleRequest } from './samples.js';

/** How an operation of a sample is brought to its beginning. */
export interface Scene {
  /** Operations that have completed before. */
  after: readonly LcmOperation[];
  request(sample: string): Promise<JsonObject>;
  /** The only samples that have what it needs; all of them, where it is left out. */
  samples?: readonly string[];
  /** No worker has a part in it, so that nothing of it can fail: only crashes are tried. */
  inlineOnly?: boolean;
}

const INSTANTIATE_REQUESTS: Readonly<Record<string, string>> = {
  'simple-vm': 'instantiate-simple-vm.json',
  kubernetes: 'instantiate-kubernetes-simple.json',
};

/** Every operation that there is; a new one is a new row, and the test that goes through SAGAS says so. */
export const SCENES: Readonly<Record<string, Scene>> = {
  INSTANTIATE: {
    after: [],
    request: (sample) =>
      sample === 'scaling' ? Promise.resolve(scalingRequest('net0')) : sampleRequest(INSTANTIATE_REQUESTS[sample] ?? ''),
  },
  TERMINATE: {
    after: ['INSTANTIATE'],
    request: () => Promise.resolve({ terminationType: 'FORCEFUL' }),
  },
  SCALE: {
    after: ['INSTANTIATE'],
    request: () => Promise.resolve({ type: 'SCALE_OUT', aspectId: 'worker' }),
    samples: ['scaling'],
  },
  MODIFY_INFO: {
    after: ['INSTANTIATE'],
    request: () => Promise.resolve({ vnfInstanceName: 'renamed', metadata: { site: 'north' } }),
    inlineOnly: true,
  },
};

/** Whether a sample has what the operation needs. */
export const suits = (sample: string, operation: string): boolean => SCENES[operation]?.samples?.includes(sample) ?? true;

/** @throws Error that says what to do for an operation without a scene */
export function sceneOf(operation: string): Scene {
  const scene = SCENES[operation];
  if (scene === undefined)
    throw new Error(
      `${operation} has no scene: add a row to SCENES in tests/crash-points/support/scenes.ts, and every crash point is tried`,
    );
  return scene;
}
