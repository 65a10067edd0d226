import { RequestError, type JsonObject } from '@windlass/foundation';
import type { Grant, InstantiateVnfRequest, InstantiateVnfRequestV2 } from '@windlass/sol003';
import { flavourOf, readVnfPackage, type Flavour } from '@windlass/vnf-package';
import { csarOf, kubernetesSkeleton, singleFileVnfd, smallestPackage, type PackageFiles } from '@windlass/vnf-package/testing';
import { beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import {
  heatParameters,
  prepareTemplates,
  stackInput,
  type ExtVirtualLink,
  type GrantData,
  type InstantiateData,
  type UserDataInput,
} from './index.js';

const readFlavour = async (files: PackageFiles, id: string): Promise<Flavour> =>
  flavourOf((await readVnfPackage(await csarOf(files))).model, id);

const link = (cpdId: string, resourceId: string, ...ipAddresses: object[]): ExtVirtualLink => ({
  resourceId,
  extCps: [{ cpdId, cpConfig: [{ cpProtocolData: [ipAddresses.length === 0 ? {} : { ipOverEthernet: { ipAddresses } }] }] }],
});

/** The guide's request for flavour simple, but for the user data script. */
const guideRequest = (additionalParams: JsonObject = {}): InstantiateData => ({
  extVirtualLinks: [link('masterNode_CP1', 'net-m'), link('workerNode_CP2', 'net-w')],
  additionalParams: { k8s_cluster_installation_param: { script_path: 'Scripts/install_k8s_cluster.sh' }, ...additionalParams },
});

const refused = (attempt: () => unknown): RequestError => {
  try {
    attempt();
  } catch (error) {
    expect(error).toBeInstanceOf(RequestError);
    return error as RequestError;
  }
  throw new Error('was accepted');
};

/** A package whose one VDU and port are asked for by these resources. */
const asking = (resources: string, vnfd: Parameters<typeof singleFileVnfd>[0] = {}) =>
  readFlavour(
    smallestPackage({
      'Definitions/top.yaml': singleFileVnfd(vnfd),
      'BaseHOT/default/top.yaml': `parameters: { nfv: { type: json } }\nresources:\n${resources}`,
      'BaseHOT/default/nested/member.yaml': 'resources: { VDU1: { type: OS::Nova::Server } }',
    }),
    'default',
  );

let simple: Flavour;
let podaffinity: Flavour;
beforeAll(async () => {
  simple = await readFlavour(kubernetesSkeleton(), 'simple');
  podaffinity = await readFlavour(kubernetesSkeleton(), 'podaffinity');
});

describe('Heat parameters without a script', () => {
  test("are those of the reference system's sample user data, for the guide's request", () => {
    expect(heatParameters({ flavour: simple, request: guideRequest() })).toEqual({
      nfv: {
        VDU: {
          masterNode: { flavor: 'm1.medium', image: 'Image for masterNode kubernetes' },
          workerNode: { flavor: 'm1.medium', image: 'Image for workerNode kubernetes' },
        },
        CP: { masterNode_CP1: { network: 'net-m' }, workerNode_CP2: { network: 'net-w' } },
      },
    });
  });

  test('copy the other parameters of the template from additionalParams', () => {
    const groups = { k8s_worker_node_group: 'workers', k8s_master_node_group: 'masters' };
    expect(heatParameters({ flavour: podaffinity, request: guideRequest(groups) })).toMatchObject(groups);
    expect(
      refused(() => heatParameters({ flavour: podaffinity, request: guideRequest({ k8s_worker_node_group: 'workers' }) })),
    ).toMatchObject({
      status: 400,
      code: 'user-data.missing-parameters',
      invalidParams: [
        {
          path: '/additionalParams/k8s_master_node_group',
          reason: expect.stringContaining('podaffinity_hot_top.yaml') as string,
        },
      ],
    });
  });

  test('leave out a parameter that has a default, and nothing is taken that the template does not ask for', async () => {
    const flavour = await readFlavour(
      smallestPackage({
        'BaseHOT/default/top.yaml':
          'parameters: { size: { type: number, default: 1 }, empty: { type: string, default: "" } }\nresources: {}\n',
      }),
      'default',
    );
    expect(heatParameters({ flavour, request: { additionalParams: { other: 1 } } })).toEqual({});
    expect(heatParameters({ flavour, request: { additionalParams: { size: 3 } } })).toEqual({ size: 3 });
  });

  test('name every connection point that is not connected', () => {
    const error = refused(() => heatParameters({ flavour: simple, request: {} }));
    expect(error.status).toBe(400);
    expect(error.invalidParams).toEqual([
      { path: '/extVirtualLinks', reason: expect.stringContaining('"masterNode_CP1"') as string },
      { path: '/extVirtualLinks', reason: expect.stringContaining('"workerNode_CP2"') as string },
    ]);
  });

  test('take image and flavor from the grant, then from what was made, then from the VNFD', () => {
    const of = (more: Partial<UserDataInput>) =>
      (heatParameters({ flavour: simple, request: guideRequest(), ...more }).nfv as { VDU: { masterNode: unknown } }).VDU
        .masterNode;
    const made = { imageRefs: { masterNode: 'glance-id' }, flavorRefs: { masterNode: 'made' } };
    const grant: GrantData = {
      vimAssets: {
        computeResourceFlavours: [{ vnfdVirtualComputeDescId: 'masterNode', vimFlavourId: 'granted-flavor' }],
        softwareImages: [{ vnfdSoftwareImageId: 'masterNode', vimSoftwareImageId: 'granted-image' }],
      },
    };
    expect(of(made)).toEqual({ flavor: 'made', image: 'glance-id' });
    expect(of({ ...made, grant })).toEqual({ flavor: 'granted-flavor', image: 'granted-image' });
  });

  test('take networks from the grant before the request', () => {
    const grant: GrantData = { extVirtualLinks: [link('masterNode_CP1', 'granted')] };
    expect(heatParameters({ flavour: simple, request: guideRequest(), grant }).nfv).toMatchObject({
      CP: { masterNode_CP1: { network: 'granted' }, workerNode_CP2: { network: 'net-w' } },
    });
  });

  test('use the keys of v2 packages where the templates ask by them', async () => {
    const flavour = await asking(`  VDU1:
    type: OS::Heat::AutoScalingGroup
    properties:
      min_size: 1
      max_size: 3
      desired_capacity: { get_param: [ nfv, VDU, VDU1, desired_capacity ] }
      resource:
        type: member.yaml
        properties:
          flavor: { get_param: [ nfv, VDU, VDU1, computeFlavourId ] }
          image: { get_param: [ nfv, VDU, VDU1, vcImageId ] }
          zone: { get_param: [ nfv, VDU, VDU1, locationConstraints ] }
`);
    const input = { flavour, request: {} };
    expect(heatParameters(input)).toEqual({
      nfv: {
        VDU: { VDU1: { desired_capacity: 1, computeFlavourId: 'm1.tiny', vcImageId: 'cirros', locationConstraints: null } },
      },
    });
    expect(heatParameters({ ...input, zones: { VDU1: 'az1' } }).nfv).toMatchObject({
      VDU: { VDU1: { locationConstraints: 'az1' } },
    });
    expect(prepareTemplates(input).template).toBe(flavour.baseHot!.top.text);
  });

  test('merge additionalParams.nfv over what was computed, the request first and the grant last', () => {
    const request = guideRequest({ nfv: { VDU: { masterNode: { flavor: 'mine', image: 'mine' } }, more: 1 } });
    const grant: GrantData = { additionalParams: { nfv: { VDU: { masterNode: { image: null, flavor: 'granted' } } } } };
    expect(heatParameters({ flavour: simple, request, grant }).nfv).toMatchObject({
      more: 1,
      VDU: { masterNode: { flavor: 'granted' } },
    });
    expect(heatParameters({ flavour: simple, request, grant }).nfv).not.toHaveProperty('VDU.masterNode.image');
  });

  test('ask for what nobody knows at additionalParams.nfv, and take it from there', async () => {
    const flavour = await asking(
      '  x: { type: OS::Heat::None, properties: { a: { get_param: [ nfv, VDU, other, size/b ] } } }\n',
    );
    const [param] = refused(() => heatParameters({ flavour, request: {} })).invalidParams!;
    expect(param!.path).toBe('/additionalParams/nfv/VDU/other/size~1b');
    const nfv = { VDU: { other: { 'size/b': 5 } } };
    expect(heatParameters({ flavour, request: { additionalParams: { nfv } } })).toEqual({ nfv });
  });

  test('a flavour of a release that made no templates is refused with 422', () => {
    const { baseHot: _made, ...flavour } = simple;
    expect(refused(() => heatParameters({ flavour, request: {} }))).toMatchObject({ status: 422, code: 'user-data.no-base-hot' });
  });

  test('the requests of both API versions and the grant fit, as they are', () => {
    expectTypeOf<InstantiateVnfRequest>().toExtend<InstantiateData>();
    expectTypeOf<InstantiateVnfRequestV2>().toExtend<InstantiateData>();
    expectTypeOf<Grant>().toExtend<GrantData>();
  });
});

describe('addresses of connection points', () => {
  const port = (property: string) => `  VDU1_CP1: { type: OS::Neutron::Port, properties: { fixed_ips: ${property} } }\n`;
  const WHOLE = port('{ get_param: [ nfv, CP, VDU1_CP1, fixed_ips ] }');
  const fixedIps = async (resources: string, ...ipAddresses: object[]) => {
    const flavour = await asking(resources);
    const parameters = heatParameters({ flavour, request: { extVirtualLinks: [link('VDU1_CP1', 'net', ...ipAddresses)] } });
    return (parameters.nfv as { CP: { VDU1_CP1: { fixed_ips: unknown } } }).CP.VDU1_CP1.fixed_ips;
  };

  test('are fixed addresses with their subnet, or a subnet for each address the VIM chooses', async () => {
    expect(
      await fixedIps(
        WHOLE,
        { fixedAddresses: ['10.0.0.5', '10.0.0.6'], subnetId: 's1' },
        { numDynamicAddresses: 2, subnetId: 's2' },
      ),
    ).toEqual([
      { ip_address: '10.0.0.5', subnet: 's1' },
      { ip_address: '10.0.0.6', subnet: 's1' },
      { subnet: 's2' },
      { subnet: 's2' },
    ]);
  });

  test('are an empty list where the request leaves them to the VIM', async () => {
    expect(await fixedIps(WHOLE)).toEqual([]);
    expect(await fixedIps(WHOLE, { numDynamicAddresses: 1 })).toEqual([]);
  });

  test("are read from v2's map of configurations as well", async () => {
    const flavour = await asking(WHOLE);
    const cpConfig = { a: { cpProtocolData: [{ ipOverEthernet: { ipAddresses: [{ fixedAddresses: ['10.0.0.5'] }] } }] } };
    const request = { extVirtualLinks: [{ resourceId: 'net', extCps: [{ cpdId: 'VDU1_CP1', cpConfig }] }] };
    expect(heatParameters({ flavour, request }).nfv).toEqual({ CP: { VDU1_CP1: { fixed_ips: [{ ip_address: '10.0.0.5' }] } } });
  });

  test('that the template wants one by one are asked for at their field', async () => {
    const single = port('[ { ip_address: { get_param: [ nfv, CP, VDU1_CP1, fixed_ips, 0, ip_address ] } } ]');
    expect(await fixedIps(single, { fixedAddresses: ['10.0.0.5'] })).toEqual([{ ip_address: '10.0.0.5' }]);
    const error = await fixedIps(single, { numDynamicAddresses: 1, subnetId: 's' }).catch((e: unknown) => e);
    expect((error as RequestError).invalidParams).toMatchObject([
      { path: '/extVirtualLinks/0/extCps/0/cpConfig/0/cpProtocolData/0/ipOverEthernet/ipAddresses' },
    ]);
  });

  test('a range is refused, since a Heat port takes none', async () => {
    const range = { addressRange: { minAddress: '10.0.0.1', maxAddress: '10.0.0.9' } };
    await expect(fixedIps(WHOLE, range)).rejects.toMatchObject({
      invalidParams: [
        { path: '/extVirtualLinks/0/extCps/0/cpConfig/0/cpProtocolData/0/ipOverEthernet/ipAddresses/0/addressRange' },
      ],
    });
  });

  test('one address for a group of two is refused', async () => {
    const group = (max: number) => `  g:
    type: OS::Heat::AutoScalingGroup
    properties:
      { min_size: 1, max_size: ${max}, desired_capacity: 1, resource: { type: member.yaml, properties: { ips: { get_param: [ nfv, CP, VDU1_CP1, fixed_ips ] } } } }
`;
    expect(await fixedIps(group(1), { fixedAddresses: ['10.0.0.5'] })).toHaveLength(1);
    const policies = `    - d: { type: tosca.policies.nfv.VduInitialDelta, properties: { initial_delta: { number_of_instances: 2 } }, targets: [ VDU1 ] }\n`;
    const flavour = await asking(group(2), { policies });
    const request = { extVirtualLinks: [link('VDU1_CP1', 'net', { fixedAddresses: ['10.0.0.5'] })] };
    expect(refused(() => heatParameters({ flavour, request })).invalidParams).toMatchObject([
      { reason: expect.stringContaining('of which 2 are made') as string },
    ]);
  });
});

describe('internal networks', () => {
  const INNER = `  inner: { type: OS::Neutron::Net }
  VDU1_CP1: { type: OS::Neutron::Port, properties: { network: { get_resource: inner } } }
  extra: { type: OS::Neutron::Port, properties: { network: { get_param: [ nfv, CP, VDU1_CP2, network ] } } }
`;
  const nodes = `    inner: { type: tosca.nodes.nfv.VnfVirtualLink }
    VDU1_CP2: { type: tosca.nodes.nfv.VduCp, requirements: [ { virtual_binding: VDU1 }, { virtual_link: inner } ] }
`;

  test('are replaced by the networks that the request manages', async () => {
    const flavour = await asking(INNER, { nodes });
    const request = { extManagedVirtualLinks: [{ vnfVirtualLinkDescId: 'inner', resourceId: 'managed' }] };
    const { template, parameters } = stackInput({ flavour, request });
    expect(parameters).toEqual({ nfv: { CP: { VDU1_CP2: { network: 'managed' } } } });
    expect(template).not.toContain('OS::Neutron::Net }');
    expect(template).toContain('VDU1_CP1: { type: OS::Neutron::Port, properties: { network: "managed" } }');
  });

  test('are asked for at extManagedVirtualLinks where a connection point hangs on one', async () => {
    const flavour = await asking(INNER, { nodes });
    expect(refused(() => heatParameters({ flavour, request: {} })).invalidParams).toMatchObject([
      { path: '/extManagedVirtualLinks', reason: expect.stringContaining('"inner"') as string },
    ]);
    expect(prepareTemplates({ flavour, request: {} }).template).toBe(flavour.baseHot!.top.text);
  });
});

describe('templates for the wanted size', () => {
  const literals = (template: string) => [...template.matchAll(/desired_capacity: (\d+)/g)].map(([, size]) => Number(size));

  test('are those of the package at the default level, byte for byte', () => {
    const { template, files } = prepareTemplates({ flavour: simple, request: guideRequest() });
    expect(template).toBe(simple.baseHot!.top.text);
    expect(files).toEqual({
      'simple_nested_master.yaml': simple.baseHot!.files['simple_nested_master.yaml']!.text,
      'simple_nested_worker.yaml': simple.baseHot!.files['simple_nested_worker.yaml']!.text,
    });
  });

  test('have the sizes of another level written into them', () => {
    const request = { ...guideRequest(), instantiationLevelId: 'instantiation_level_2' };
    expect(literals(prepareTemplates({ flavour: simple, request }).template)).toEqual([3, 4]);
  });

  test('have the sizes of a scale status written into them: that is how a scaling updates the stack', () => {
    const scaleStatus = [
      { aspectId: 'master_instance', scaleLevel: 0 },
      { aspectId: 'worker_instance', scaleLevel: 1 },
    ];
    expect(literals(prepareTemplates({ flavour: simple, request: guideRequest(), scaleStatus }).template)).toEqual([1, 3]);
  });

  test('get the size by a parameter where the template takes it from one', async () => {
    const files = kubernetesSkeleton();
    const name = 'BaseHOT/simple/simple_hot_top.yaml';
    files[name] = String(files[name])
      .replace('desired_capacity: 2', 'desired_capacity: { get_param: worker_instance_desired_capacity }')
      .replace('    type: json\n', '    type: json\n  worker_instance_desired_capacity:\n    type: number\n');
    const flavour = await readFlavour(files, 'simple');
    const request = { ...guideRequest(), instantiationLevelId: 'instantiation_level_2' };
    const { template, parameters } = stackInput({ flavour, request });
    expect(literals(template)).toEqual([3]);
    expect(parameters.worker_instance_desired_capacity).toBe(4);
  });

  test('an unknown level, and a size that a group does not allow, are 400 at instantiationLevelId', async () => {
    const at = (flavour: Flavour, instantiationLevelId: string) =>
      refused(() => prepareTemplates({ flavour, request: { ...guideRequest(), instantiationLevelId } }));
    expect(at(simple, 'huge')).toMatchObject({ status: 400, invalidParams: [{ path: '/instantiationLevelId' }] });
    const files = kubernetesSkeleton();
    const name = 'BaseHOT/simple/simple_hot_top.yaml';
    files[name] = String(files[name]).replace('max_size: 4', 'max_size: 3');
    expect(at(await readFlavour(files, 'simple'), 'instantiation_level_2')).toMatchObject({
      code: 'user-data.size-out-of-range',
      status: 400,
      invalidParams: [
        { path: '/instantiationLevelId', reason: expect.stringMatching(/4 members of worker_instance.*2 to 3/) as string },
      ],
    });
  });

  test('servers without a group in another number than is wanted are refused', async () => {
    const policies = `    - d: { type: tosca.policies.nfv.VduInitialDelta, properties: { initial_delta: { number_of_instances: 2 } }, targets: [ VDU1 ] }\n`;
    const flavour = await asking('  VDU1: { type: OS::Nova::Server }\n', { policies });
    expect(refused(() => prepareTemplates({ flavour, request: {} }))).toMatchObject({
      status: 422,
      code: 'user-data.not-scalable',
    });
  });
});
