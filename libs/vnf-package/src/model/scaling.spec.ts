import { RequestError } from '@windlass/foundation';
import { describe, expect, test } from 'vitest';
import { readVnfPackage } from '../read-vnf-package.js';
import { checkScaleLevel, desiredCounts, instantiationLevel, mostInstances, scaleStatusOf } from './scaling.js';
import { csarOf, singleFileVnfd, smallestPackage } from '../testing/package-factory.js';
import { kubernetesSkeleton } from '../testing/kubernetes-skeleton.js';

const flavour = async (policies: string, nodes = '') => {
  const vnfd = singleFileVnfd({ policies, nodes });
  return (await readVnfPackage(await csarOf(smallestPackage({ 'Definitions/top.yaml': vnfd })))).model.flavours[0]!;
};
const complex = async () => (await readVnfPackage(await csarOf(kubernetesSkeleton()))).model.flavours[1]!;

const ASPECTS = `    - aspects: { type: tosca.policies.nfv.ScalingAspects, properties: { aspects: { out: { max_scale_level: 3, step_deltas: [ d1, d2 ] }, up: { max_scale_level: 2 } } } }
    - initial: { type: tosca.policies.nfv.VduInitialDelta, properties: { initial_delta: { number_of_instances: 2 } }, targets: [ VDU1 ] }
    - out1: { type: tosca.policies.nfv.VduScalingAspectDeltas, properties: { aspect: out, deltas: { d2: { number_of_instances: 7 }, d1: { number_of_instances: 2 } } }, targets: [ VDU1 ] }
    - up1: { type: tosca.policies.nfv.VduScalingAspectDeltas, properties: { aspect: up, deltas: { d: { number_of_instances: 10 } } }, targets: [ VDU1 ] }
`;
const LEVELS = `    - levels: { type: tosca.policies.nfv.InstantiationLevels, properties: { default_level: a, levels: { a: { scale_info: { out: { scale_level: 1 } } }, b: { scale_info: { out: { scale_level: 3 }, up: { scale_level: 1 } } } } } }
`;

describe('the number of instances wanted', () => {
  test('is the initial delta plus the first delta of each aspect times its level', async () => {
    const scaled = await flavour(ASPECTS + LEVELS);
    expect(desiredCounts(scaled)).toEqual({ VDU1: 4 });
    expect(desiredCounts(scaled, { instantiationLevelId: 'b' })).toEqual({ VDU1: 2 + 3 * 2 + 10 });
    expect(desiredCounts(scaled, { scaleStatus: [{ aspectId: 'up', scaleLevel: 2 }] })).toEqual({ VDU1: 22 });
  });

  test('is what VduInstantiationLevels say, where they say something', async () => {
    const vdu = `    - vdu: { type: tosca.policies.nfv.VduInstantiationLevels, properties: { levels: { b: { number_of_instances: 9 } } }, targets: [ VDU1 ] }\n`;
    const scaled = await flavour(ASPECTS + LEVELS + vdu);
    expect(desiredCounts(scaled, { instantiationLevelId: 'a' })).toEqual({ VDU1: 4 });
    expect(desiredCounts(scaled, { instantiationLevelId: 'b' })).toEqual({ VDU1: 9 });
    expect(desiredCounts(scaled, { instantiationLevelId: 'b', scaleStatus: [{ aspectId: 'out', scaleLevel: 1 }] })).toEqual({
      VDU1: 4,
    });
  });

  test('of a VDU that no aspect scales stays that of its level', async () => {
    const vdu = `    - levels: { type: tosca.policies.nfv.InstantiationLevels, properties: { levels: { only: {} } } }
    - vdu: { type: tosca.policies.nfv.VduInstantiationLevels, properties: { levels: { only: { number_of_instances: 3 } } }, targets: [ VDU1 ] }\n`;
    const fixed = await flavour(vdu);
    expect(fixed.defaultInstantiationLevelId).toBe('only');
    expect(desiredCounts(fixed, { scaleStatus: [] })).toEqual({ VDU1: 3 });
  });

  test('is at most that of all aspects at their highest, or of a level that asks for more', async () => {
    expect(mostInstances(await complex())).toEqual({ masterNode: 5, workerNode: 4 });
    const big = `    - vdu: { type: tosca.policies.nfv.VduInstantiationLevels, properties: { levels: { b: { number_of_instances: 90 } } }, targets: [ VDU1 ] }\n`;
    expect(mostInstances(await flavour(ASPECTS + LEVELS))).toEqual({ VDU1: 2 + 3 * 2 + 2 * 10 });
    expect(mostInstances(await flavour(ASPECTS + LEVELS + big))).toEqual({ VDU1: 90 });
  });

  test('is one where the VNFD says nothing', async () => {
    const silent = await flavour('    []\n');
    expect([desiredCounts(silent), mostInstances(silent)]).toEqual([{ VDU1: 1 }, { VDU1: 1 }]);
  });
});

describe('levels of requests', () => {
  test('that do not exist are answered with 400 at their field', async () => {
    const scaled = await complex();
    for (const [attempt, path] of [
      [() => instantiationLevel(scaled, 'huge'), '/instantiationLevelId'],
      [() => checkScaleLevel(scaled, 'huge', 1), '/aspectId'],
      [() => checkScaleLevel(scaled, 'worker_instance', 3), '/numberOfSteps'],
      [() => checkScaleLevel(scaled, 'worker_instance', -1), '/numberOfSteps'],
      [() => desiredCounts(scaled, { scaleStatus: [{ aspectId: 'worker_instance', scaleLevel: 9 }] }), '/numberOfSteps'],
    ] as const) {
      expect(attempt).toThrow(RequestError);
      expect(attempt).toThrow(
        expect.objectContaining({ status: 400, invalidParams: [expect.objectContaining({ path })] }) as Error,
      );
    }
    expect(checkScaleLevel(scaled, 'worker_instance', 2)).toMatchObject({ id: 'worker_instance', maxScaleLevel: 2 });
  });

  test('give the scale status that an instantiation starts with', async () => {
    expect(scaleStatusOf(await complex(), 'instantiation_level_2')).toEqual([
      { aspectId: 'master_instance', scaleLevel: 2, maxScaleLevel: 2 },
      { aspectId: 'worker_instance', scaleLevel: 2, maxScaleLevel: 2 },
    ]);
  });
});
