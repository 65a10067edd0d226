import { describe, expect, test } from 'vitest';
import { readVnfPackage } from '../read-vnf-package.js';
import { desiredCounts, permitsFixed } from '../model/scaling.js';
import { csarOf, singleFileVnfd, smallestPackage } from '../testing/package-factory.js';

const vdu = (profile: string) => `      properties:
        vdu_profile: ${profile}
        sw_image_data:
          { name: cirros, version: 0.5.2, checksum: { algorithm: sha-256, hash: 00 }, container_format: bare, disk_format: qcow2, min_disk: 0 B, size: 1 B }
      capabilities:
        virtual_compute: { properties: { requested_additional_capabilities: { m1: { requested_additional_capability_name: m1.tiny } } } }`;
const INITIAL = `    - initial: { type: tosca.policies.nfv.VduInitialDelta, properties: { initial_delta: { number_of_instances: 3 } }, targets: [ VDU1 ] }\n`;
const NONE = INITIAL.replace('3', '0');
const LEVELS = `    - levels: { type: tosca.policies.nfv.InstantiationLevels, properties: { default_level: a, levels: { a: { description: a }, b: { description: b } } } }
    - vdu: { type: tosca.policies.nfv.VduInstantiationLevels, properties: { levels: { a: { number_of_instances: 4 }, b: { number_of_instances: 0 } } }, targets: [ VDU1 ] }\n`;

const read = async (profile: string, policies?: string, baseHot?: string) => {
  const vnfd = singleFileVnfd({ vdu: vdu(profile), ...(policies === undefined ? {} : { policies }) });
  const { model, warnings } = await readVnfPackage(
    await csarOf(smallestPackage({ 'Definitions/top.yaml': vnfd, 'BaseHOT/default/top.yaml': baseHot })),
  );
  return { flavour: model.flavours[0]!, warnings };
};

describe('of a VDU of which vdu_profile alone says how many', () => {
  test('there are as many as it permits at least', async () => {
    const { flavour } = await read('{ min_number_of_instances: 2, max_number_of_instances: 2 }');
    expect(desiredCounts(flavour)).toEqual({ VDU1: 2 });
    const [group] = flavour.baseHot!.groups;
    expect(group).toMatchObject({ name: 'VDU1_group', minSize: 2, maxSize: 2 });
  });

  test('there is none where it permits none, and one where it says nothing', async () => {
    expect(desiredCounts((await read('{ min_number_of_instances: 0, max_number_of_instances: 2 }')).flavour)).toEqual({
      VDU1: 0,
    });
    expect(desiredCounts((await read('{ max_number_of_instances: 2 }')).flavour)).toEqual({ VDU1: 1 });
  });

  test.each([
    [INITIAL, { VDU1: 3 }, {}],
    [NONE, { VDU1: 0 }, {}],
    [LEVELS, { VDU1: 4 }, {}],
    [LEVELS, { VDU1: 0 }, { instantiationLevelId: 'b' }],
  ])('the policies say it, where they do', async (policies, counts, wanted) => {
    const { flavour } = await read('{ min_number_of_instances: 0, max_number_of_instances: 5 }', policies);
    expect(desiredCounts(flavour, wanted)).toEqual(counts);
  });

  test('templates with a fixed number of servers are warned of, unless the profile permits that number', async () => {
    const fixed = smallestPackage()['BaseHOT/default/top.yaml'] as string;
    const two = await read('{ min_number_of_instances: 2, max_number_of_instances: 2 }', undefined, fixed);
    expect(two.warnings.map(({ code }) => code)).toContain('base-hot.not-scalable');
    const some = await read('{ min_number_of_instances: 0, max_number_of_instances: 2 }', undefined, fixed);
    expect(some.warnings.map(({ code }) => code)).not.toContain('base-hot.not-scalable');
    expect(permitsFixed(some.flavour, some.flavour.vdus[0]!, 1, 0)).toBe(true);
    expect(permitsFixed(some.flavour, some.flavour.vdus[0]!, 3, 0)).toBe(false);
  });

  test.each([
    ['{ min_number_of_instances: 3, max_number_of_instances: 2 }', 'max_number_of_instances is 2, below min_number_of_instances'],
    ['{ min_number_of_instances: -1 }', 'min_number_of_instances should not be negative'],
    ['{ min_number_of_instances: two }', 'should be a whole number'],
  ])('%s is refused by its place', async (profile, words) => {
    await expect(read(profile)).rejects.toThrow(words);
  });
});
