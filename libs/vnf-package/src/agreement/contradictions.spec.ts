import { describe, expect, test } from 'vitest';
import { readVnfPackage } from '../read-vnf-package.js';
import { csarOf, singleFileVnfd, smallestPackage } from '../testing/package-factory.js';

const FILE = 'Definitions/top.yaml';

const told = async (policies: string, profile = '{ min_number_of_instances: 0, max_number_of_instances: 2 }') => {
  const plain = singleFileVnfd({ policies });
  const vnfd = plain.replace(
    '      properties:\n        sw_image',
    `      properties:\n        vdu_profile: ${profile}\n        sw_image`,
  );
  const { warnings } = await readVnfPackage(
    await csarOf(smallestPackage({ [FILE]: vnfd, 'BaseHOT/default/top.yaml': undefined })),
  );
  return warnings.map(({ code, subject, reason }) => `${code} ${subject}: ${reason}`);
};
const policy = (name: string, type: string, properties: string, targets = '[ VDU1 ]') =>
  `    - ${name}: { type: tosca.policies.nfv.${type}, properties: ${properties}, targets: ${targets} }\n`;
const initial = (count: number, name = 'initial', targets?: string) =>
  policy(name, 'VduInitialDelta', `{ initial_delta: { number_of_instances: ${count} } }`, targets);
const deltas = (count: number, name = 'deltas', targets?: string) =>
  policy(name, 'VduScalingAspectDeltas', `{ aspect: out, deltas: { one: { number_of_instances: ${count} } } }`, targets);
const ASPECT =
  '    - aspects: { type: tosca.policies.nfv.ScalingAspects, properties: { aspects: { out: { max_scale_level: 2, step_deltas: [ one ] } } } }\n';
const levels = (low: number, high: number, name = 'ofVdus') =>
  '    - levels: { type: tosca.policies.nfv.InstantiationLevels, properties: { default_level: low, levels: { low: { scale_info: { out: { scale_level: 0 } } }, high: { scale_info: { out: { scale_level: 2 } } } } } }\n'.repeat(
    name === 'ofVdus' ? 1 : 0,
  ) +
  policy(
    name,
    'VduInstantiationLevels',
    `{ levels: { low: { number_of_instances: ${low} }, high: { number_of_instances: ${high} } } }`,
  );
const NO_TARGET = 'nothing comes of it: its targets have no VDU; name the VDUs that it is for in targets';
const IDLE = 'the aspect scales nothing: no VduScalingAspectDeltas policy gives it a VDU and a number of instances above 0';

describe('numbers of instances that a VNFD says in two ways', () => {
  test('are told of where a level gives another one than its aspects do: the next scaling would add none', async () => {
    expect(await told(ASPECT + initial(0) + deltas(1) + levels(0, 2))).toEqual([]);
    expect(await told(ASPECT + initial(0) + deltas(1) + levels(1, 2))).toEqual([
      `vnfd.level-differs ${FILE}, VDU1: at the level "low" its VduInstantiationLevels give 1 instances, and its scale_info, by initial delta and deltas, 0: it is instantiated with 1, and the first scaling counts from 0; make them the same`,
    ]);
  });

  test.each([
    ['above the most', initial(1), '{ max_number_of_instances: 2 }', '1 to 2 instances, and its policies want 1 to 3'],
    ['below the least', initial(0), '{ min_number_of_instances: 1 }', '1 to 2 instances, and its policies want 0 to 2'],
  ])('are told of where vdu_profile does not permit them: %s', async (_, first, profile, said) => {
    expect(await told(ASPECT + first + deltas(1), profile)).toEqual([
      `vnfd.outside-profile ${FILE}, VDU1: its vdu_profile permits ${said}: the policies count; correct one of them`,
    ]);
  });

  test.each([
    ['VduInitialDelta', initial(0) + initial(1, 'other'), 'number_of_instances is 1 for "VDU1", and the policy "initial" says 0'],
    ['VduScalingAspectDeltas', deltas(1) + deltas(2, 'other'), 'is 2 for "VDU1", and the policy "deltas" says 1'],
    [
      'VduInstantiationLevels',
      initial(0) + deltas(1) + levels(0, 2) + levels(0, 1, 'other'),
      'is 1 for "VDU1", and the policy "ofVdus" says 2',
    ],
  ])('are refused where two policies say them: %s', async (_, policies, reason) => {
    await expect(told(ASPECT + policies)).rejects.toMatchObject({
      code: 'vnfd.invalid',
      message: expect.stringContaining(`${reason}: remove one of them`) as string,
    });
  });

  test('are no trouble where two policies say the same', async () => {
    expect(await told(ASPECT + initial(0) + initial(0, 'other') + deltas(1) + deltas(1, 'more'))).toEqual([]);
  });
});

describe('a policy that nothing comes of', () => {
  test.each([
    ['a connection point as its target', '[ VDU1_CP1 ]'],
    ['no target', '[]'],
  ])('is told of: %s', async (_, targets) => {
    const rule = policy('apart', 'AntiAffinityRule', '{ scope: nfvi_node }', targets);
    expect(await told(ASPECT + initial(1, 'initial', targets) + deltas(1, 'deltas', targets) + rule)).toEqual([
      `vnfd.no-target ${FILE}, initial: ${NO_TARGET}`,
      `vnfd.no-target ${FILE}, deltas: ${NO_TARGET}`,
      `vnfd.no-target ${FILE}, apart: ${NO_TARGET}`,
      `vnfd.idle-aspect ${FILE}, out: ${IDLE}`,
      expect.stringContaining(`vnfd.no-instances ${FILE}, VDU1: nothing ever makes an instance of it`),
    ]);
  });

  test('is told of: an aspect whose steps add nothing', async () => {
    expect(await told(ASPECT + initial(1) + deltas(0))).toEqual([`vnfd.idle-aspect ${FILE}, out: ${IDLE}`]);
  });
});

describe('the scope of a rule about who stands beside whom', () => {
  const rule = (scope: string) => policy('apart', 'AntiAffinityRule', `{ scope: ${scope} }`);

  test.each(['nfvi-node', 'host'])(
    'is refused where nobody knows it, for the servers would stand anywhere: %s',
    async (scope) => {
      await expect(told(rule(scope))).rejects.toMatchObject({
        code: 'vnfd.invalid',
        message: expect.stringContaining(
          `scope should be nfvi_node, zone, zone_group, nfvi_pop or network_link_and_node, is "${scope}"`,
        ) as string,
      });
    },
  );

  test('may be in capitals, as SOL003 has it', async () => {
    const vnfd = singleFileVnfd({ policies: rule('NFVI_NODE') });
    const files = smallestPackage({ [FILE]: vnfd, 'BaseHOT/default/top.yaml': undefined });
    const { model, warnings } = await readVnfPackage(await csarOf(files));
    expect(warnings).toEqual([]);
    expect(model.flavours[0]?.affinityRules).toMatchObject([{ scope: 'nfvi_node', vduIds: ['VDU1'] }]);
    expect(model.flavours[0]?.baseHot?.top.text).toContain('OS::Nova::ServerGroup');
  });
});
