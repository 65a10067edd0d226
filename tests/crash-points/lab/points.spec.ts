import { describe, expect, it } from 'vitest';
import { DEATHS, describePoint, kindOf, samplePoints, type PlannedStep } from './points.js';

const step = (kind: string, service = 'k8s-mgmt', hasJob = true): PlannedStep => ({ kind, service, hasJob });
const STEPS = ['a', 'b', 'c', 'd', 'e', 'f'].map((kind) => step(kind));
const drawn = (seed: number, steps: readonly PlannedStep[] = STEPS) => samplePoints(seed, 'INSTANTIATE', steps, 5);

describe('the sample of crash points', () => {
  it('is the same for the same seed, and another for others', () => {
    expect(drawn(7)).toEqual(drawn(7));
    expect(new Set([1, 2, 3, 4, 5].map((seed) => drawn(seed).map(describePoint).join())).size).toBeGreaterThan(1);
  });

  it('strikes each step once, although a step stands there for each node', () => {
    const kinds = drawn(3, [...STEPS, ...STEPS]).map(({ step: { kind } }) => kind);
    expect(new Set(kinds).size).toBe(5);
  });

  it('has no way to die twice before all that are possible were drawn, and comes to each in the end', () => {
    const runs = Array.from({ length: 50 }, (_none, seed) => drawn(seed).map(({ death }) => death));
    for (const deaths of runs) expect(new Set(deaths).size).toBe(deaths.length);
    expect(new Set(runs.flat()).size).toBe(DEATHS.length);
  });

  it('waits for no job of a step that has none, and for no worker of a step that the coordinator does', () => {
    const own = step('hook:instantiate_end', 'saga-coordinator', false);
    for (let seed = 0; seed < 50; seed++) {
      const [point] = samplePoints(seed, 'INSTANTIATE', [own], 1);
      expect(point?.death.victims).toEqual(['coordinator']);
      expect(samplePoints(seed, 'INSTANTIATE', [step('verify', 'k8s-mgmt', false)], 1)[0]?.death.job).toBeUndefined();
    }
  });

  it('refuses to draw more points than there are kinds of steps', () => {
    expect(() => drawn(1, STEPS.slice(0, 4))).toThrow('4 kinds of steps; 5 are to be struck');
  });
});

it.each([
  ['join-worker:worker24', 'join-worker:worker'],
  ['prepare-node:master0-24', 'prepare-node:master'],
  ['create-stack', 'create-stack'],
  ['upload-image:workerNode', 'upload-image:workerNode'],
  ['delete-image:80b8af22-331a-5da2-b543-c09f326d63ae', 'delete-image'],
])('%s is a step of the kind %s', (stepId, kind) => expect(kindOf(stepId)).toBe(kind));
