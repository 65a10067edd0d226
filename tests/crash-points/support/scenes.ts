import type { JsonObject } from '@windlass/foundation';
import type { LcmOperation } from '@windlass/lifecycle';
import { sampleRequest } from './samples.js';

/** How an operation of a sample is brought to its beginning. */
export interface Scene {
  /** Operations that have completed before. */
  after: readonly LcmOperation[];
  request(sample: string): Promise<JsonObject>;
}

const INSTANTIATE_REQUESTS: Readonly<Record<string, string>> = {
  'simple-vm': 'instantiate-simple-vm.json',
  kubernetes: 'instantiate-kubernetes-simple.json',
};

/** Every operation that there is; a new one is a new row, and the test that goes through SAGAS says so. */
export const SCENES: Readonly<Record<string, Scene>> = {
  INSTANTIATE: {
    after: [],
    request: (sample) => sampleRequest(INSTANTIATE_REQUESTS[sample] ?? ''),
  },
  TERMINATE: {
    after: ['INSTANTIATE'],
    request: () => Promise.resolve({ terminationType: 'FORCEFUL' }),
  },
};

/** @throws Error that says what to do for an operation without a scene */
export function sceneOf(operation: string): Scene {
  const scene = SCENES[operation];
  if (scene === undefined)
    throw new Error(
      `${operation} has no scene: add a row to SCENES in tests/crash-points/support/scenes.ts, and every crash point is tried`,
    );
  return scene;
}
