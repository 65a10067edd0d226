import type { JsonObject } from '@windlass/foundation';
import type { LcmOperation } from '@windlass/lifecycle';
import { scalingRequest } from '../../support/scaling-package.js';
import { sampleRequest } from './samples.js';

/** How an operation of a sample is brought to its beginning. */
export interface Scene {
  title: string;
  operation: LcmOperation;
  /** The samples that it is played on. */
  on: readonly string[];
  /** Scenes, by their titles, whose operations have completed before. */
  after: readonly string[];
  request(sample: string): Promise<JsonObject>;
}

const INSTANTIATE_REQUESTS: Readonly<Record<string, () => Promise<JsonObject>>> = {
  'simple-vm': () => sampleRequest('instantiate-simple-vm.json'),
  kubernetes: () => sampleRequest('instantiate-kubernetes-simple.json'),
  scaling: () => Promise.resolve(scalingRequest('net0')),
};

const fixed = (request: JsonObject) => () => Promise.resolve(request);

/** Every operation that there is; a new one is a new row, and the test that goes through SAGAS says so. */
export const SCENES: readonly Scene[] = [
  {
    title: 'INSTANTIATE',
    operation: 'INSTANTIATE',
    on: ['simple-vm', 'kubernetes'],
    after: [],
    request: (sample) =>
      INSTANTIATE_REQUESTS[sample]?.() ?? Promise.reject(new Error(`${sample} has no request to instantiate it`)),
  },
  {
    title: 'TERMINATE',
    operation: 'TERMINATE',
    on: ['simple-vm', 'kubernetes'],
    after: ['INSTANTIATE'],
    request: fixed({ terminationType: 'FORCEFUL' }),
  },
  {
    title: 'SCALE out',
    operation: 'SCALE',
    on: ['scaling'],
    after: ['INSTANTIATE'],
    request: fixed({ type: 'SCALE_OUT', aspectId: 'pair' }),
  },
  {
    title: 'SCALE in',
    operation: 'SCALE',
    on: ['scaling'],
    after: ['INSTANTIATE', 'SCALE out'],
    request: fixed({ type: 'SCALE_IN', aspectId: 'pair' }),
  },
  {
    title: 'HEAL of every VM',
    operation: 'HEAL',
    on: ['simple-vm'],
    after: ['INSTANTIATE'],
    request: fixed({ cause: 'it hangs', additionalParams: { all: false } }),
  },
  {
    title: 'HEAL of the whole',
    operation: 'HEAL',
    on: ['simple-vm'],
    after: ['INSTANTIATE'],
    request: fixed({}),
  },
  {
    title: 'MODIFY_INFO',
    operation: 'MODIFY_INFO',
    on: ['simple-vm'],
    after: [],
    request: fixed({ vnfInstanceName: 'another', metadata: { a: 'b' } }),
  },
];

export const scenesOf = (operation: LcmOperation): readonly Scene[] => SCENES.filter((scene) => scene.operation === operation);

export const scenesOn = (sample: string): readonly Scene[] => SCENES.filter(({ on }) => on.includes(sample));

/** @throws Error when there is no scene of that title */
export function sceneTitled(title: string): Scene {
  const scene = SCENES.find((each) => each.title === title);
  if (scene === undefined) throw new Error(`there is no scene "${title}"`);
  return scene;
}
