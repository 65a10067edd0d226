import { readVnfPackage } from '@windlass/vnf-package';
import { csarOf, singleFileVnfd, smallestPackage } from '@windlass/vnf-package/testing';
import { describe, expect, test } from 'vitest';
import { prepareTemplates } from './prepare-templates.js';

const POLICIES = `    - aspects: { type: tosca.policies.nfv.ScalingAspects, properties: { aspects: { extra: { max_scale_level: 2, step_deltas: [ one ] } } } }
    - initial: { type: tosca.policies.nfv.VduInitialDelta, properties: { initial_delta: { number_of_instances: 0 } }, targets: [ VDU1 ] }
    - deltas: { type: tosca.policies.nfv.VduScalingAspectDeltas, properties: { aspect: extra, deltas: { one: { number_of_instances: 1 } } }, targets: [ VDU1 ] }
`;
const top = (sizes: string): string => `heat_template_version: 2013-05-23
parameters: { nfv: { type: json } }
resources:
  extra:
    type: OS::Heat::AutoScalingGroup
    properties:
${sizes}      resource: { type: OS::Nova::Server, properties: { flavor: m1.tiny } }
`;
const textAt = async (sizes: string | undefined, scaleLevel: number, resizes?: true): Promise<string> => {
  const files = smallestPackage({
    'Definitions/top.yaml': singleFileVnfd({ policies: POLICIES }),
    'BaseHOT/default/top.yaml': sizes === undefined ? undefined : top(sizes).replace('OS::Nova::Server', 'member.yaml'),
    'BaseHOT/default/nested/member.yaml':
      sizes === undefined
        ? undefined
        : `heat_template_version: 2013-05-23
resources:
  VDU1: { type: OS::Nova::Server, properties: { flavor: m1.tiny } }
`,
  });
  const { model } = await readVnfPackage(await csarOf(files));
  return prepareTemplates({
    flavour: model.flavours[0]!,
    request: {},
    scaleStatus: [{ aspectId: 'extra', scaleLevel }],
    ...(resizes === undefined ? {} : { resizes }),
  }).template;
};

describe('a group that an update shall empty', () => {
  const literal = '      min_size: 0\n      max_size: 2\n      desired_capacity: 1\n';
  const asked =
    '      min_size: 0\n      max_size: { get_param: most }\n      desired_capacity: { get_param: [ nfv, VDU, VDU1, desired_capacity ] }\n';

  test('may have no member, for Heat takes a desired capacity of 0 for "unchanged"', async () => {
    const text = await textAt(literal, 0, true);
    expect(text).toContain('max_size: 0\n');
    expect(text).toContain('desired_capacity: 0\n');
  });

  test('may have none where the template asks for its sizes, and where it was made from the VNFD', async () => {
    expect(await textAt(asked, 0, true)).toContain('max_size: 0\n');
    expect(await textAt(undefined, 0, true)).toContain('max_size: 0\n');
  });

  test('has its own largest size again with the next one, and at an instantiation', async () => {
    expect(await textAt(literal, 1, true)).toContain('max_size: 2\n');
    expect(await textAt(asked, 1, true)).toContain('max_size: { get_param: most }\n');
    expect(await textAt(literal, 0)).toContain('max_size: 2\n');
  });
});
