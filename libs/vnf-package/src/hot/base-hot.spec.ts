import { describe, expect, test } from 'vitest';
import { rewriteBaseHot } from './rewrite-base-hot.js';
import { readVnfPackage } from '../read-vnf-package.js';
import { kubernetesSkeleton } from '../testing/kubernetes-skeleton.js';
import { csarOf, singleFileVnfd, smallestPackage, type PackageFiles } from '../testing/package-factory.js';
import { parseYaml } from '../yaml/parse-yaml.js';
import { DEFAULT_YAML_LIMITS } from '../refusals/limits.js';

const read = async (files: PackageFiles) => readVnfPackage(await csarOf(files));
const SIMPLE_TOP = 'BaseHOT/simple/simple_hot_top.yaml';
const hotOf = async (files: PackageFiles) => (await read(files)).model.flavours[0]!.baseHot!;
const edit = (change: (text: string) => string): PackageFiles => {
  const files = kubernetesSkeleton();
  return { ...files, [SIMPLE_TOP]: change(String(files[SIMPLE_TOP])) };
};

describe('a base HOT', () => {
  test('that refers to an absent nested template is refused by both names', async () => {
    await expect(
      read(kubernetesSkeleton({ 'BaseHOT/simple/nested/simple_nested_worker.yaml': undefined })),
    ).rejects.toMatchObject({
      code: 'base-hot.file-absent',
      member: SIMPLE_TOP,
      message: /simple_nested_worker.yaml/,
    });
  });

  test('that is no Heat template is refused', async () => {
    await expect(read(kubernetesSkeleton({ [SIMPLE_TOP]: 'hello: world' }))).rejects.toMatchObject({
      code: 'base-hot.invalid',
      member: SIMPLE_TOP,
    });
  });

  test.each([
    ['policies: [ anti-affinity ]', true],
    ['policies: [ soft-anti-affinity ]', undefined],
    ['policies: [ affinity ]', undefined],
    ['policies: { get_param: policies }', undefined],
  ])('whose members are handed a server group with %s keeps them apart: %o', async (policies, apart) => {
    const group = `  srvgroup:\n    type: OS::Nova::ServerGroup\n    properties: { ${policies} }\n`;
    const files = edit((hot) =>
      hot
        .replace('resources:\n', `resources:\n${group}`)
        .replace(
          /(type: simple_nested_worker.yaml\n\s+properties:\n)(\s+)/,
          '$1$2scheduler_hints: { get_resource: srvgroup }\n$2',
        ),
    );
    const groups = Object.fromEntries((await hotOf(files)).groups.map((each) => [each.name, each.apart]));
    expect(groups).toEqual({ master_instance: undefined, worker_instance: apart });
  });

  test.each([
    ['OS::Neutron::FloatingIP', 'port_id: { get_resource: masterNode_CP1 }', ['masterNode_CP1']],
    ['OS::Neutron::FloatingIPAssociation', 'port_id: { get_resource: masterNode_CP1 }', ['masterNode_CP1']],
    ['OS::Neutron::FloatingIP', 'floating_network: public', []],
    ['OS::Neutron::FloatingIP', 'port_id: { get_param: port }', []],
  ])('that has a %s with %s gives floating IPs to %o', async (type, property, ports) => {
    const files = edit((hot) =>
      hot.replace('resources:\n', `resources:\n  fip:\n    type: ${type}\n    properties: { ${property} }\n`),
    );
    expect((await hotOf(files)).floatingPorts).toEqual(ports);
  });

  test.each([
    ['its own port_id', ['ip: FloatingIP { port_id: { get_resource: CP1 } }'], [{ id: 'ip', cp: 'CP1' }]],
    [
      'its association',
      [
        'ip: FloatingIP { floating_network: public }',
        'link: FloatingIPAssociation { floatingip_id: { get_resource: ip }, port_id: { get_resource: CP1 } }',
      ],
      [{ id: 'ip', cp: 'CP1' }],
    ],
    ['nothing that can be read', ['ip: FloatingIP { port_id: { get_param: port } }'], [{ id: 'ip', cp: null }]],
  ])('tells the floating IPs of its templates, each with the port by %s', async (_by, resources, expected) => {
    const texts = resources.map((each) =>
      each.replace(/^(\w+): (\w+) (.*)$/, '  $1:\n    type: OS::Neutron::$2\n    properties: $3\n'),
    );
    const files = edit((hot) => hot.replace('resources:\n', `resources:\n${texts.join('')}`));
    expect((await hotOf(files)).floatingIps).toEqual(expected);
  });

  test('tells which of its ports no server has: addresses that are shared', async () => {
    const server = '  one:\n    type: OS::Nova::Server\n    properties: { networks: [ { port: { get_resource: own_CP } } ] }\n';
    const ports = ['own_CP', 'vip_CP'].map(
      (name) => `  ${name}:\n    type: OS::Neutron::Port\n    properties: { network: net0 }\n`,
    );
    const files = edit((hot) => hot.replace('resources:\n', `resources:\n${server}${ports.join('')}`));
    expect((await hotOf(files)).sharedPorts).toEqual(['vip_CP']);
  });

  test('may be one of several: the first is used, with a warning', async () => {
    const { model, warnings } = await read(
      kubernetesSkeleton({ 'BaseHOT/simple/other.yaml': 'heat_template_version: 2013-05-23\nresources: {}\n' }),
    );
    expect(model.flavours[0]!.baseHot!.top.path).toBe(SIMPLE_TOP);
    expect(warnings).toContainEqual(expect.objectContaining({ code: 'base-hot.several-tops', subject: 'BaseHOT/simple/' }));
  });

  test('takes along what its templates get by get_file and by nested types, however deep', async () => {
    const files = smallestPackage({
      'BaseHOT/default/top.yaml': `resources:
  outer: { type: outer.yaml }
  VDU1: { type: OS::Nova::Server, properties: { user_data: { get_file: init.sh } } }
`,
      'BaseHOT/default/init.sh': '#!/bin/sh\n',
      'BaseHOT/default/nested/outer.yaml':
        'resources: { again: { type: inner.yaml }, inner: { type: OS::Heat::ResourceGroup, properties: { resource_def: { type: inner.yaml } } } }',
      'BaseHOT/default/nested/inner.yaml': 'resources: { x: { type: OS::Heat::None } }',
    });
    const hot = await hotOf(files);
    expect(Object.entries(hot.files).map(([name, { path }]) => [name, path])).toEqual([
      ['outer.yaml', 'BaseHOT/default/nested/outer.yaml'],
      ['init.sh', 'BaseHOT/default/init.sh'],
      ['inner.yaml', 'BaseHOT/default/nested/inner.yaml'],
    ]);
    expect(rewriteBaseHot(hot).files['init.sh']).toBe('#!/bin/sh\n');
  });

  test.each([
    ['desired_capacity: 2 #', 'desired_capacity: 3 #', 'base-hot.group-size', /starts with 3, the VNFD's default level wants 2/],
    ['max_size: 4', 'max_size: 3', 'base-hot.group-size', /allows 2 to 3, .* wants 4/],
    ['[ nfv, VDU, workerNode, image ]', '[ nfv, VDU, wrkr, image ]', 'base-hot.unknown-reference', /\[nfv, VDU, wrkr, image\]/],
    [
      'type: simple_nested_worker.yaml',
      'type: simple_nested_master.yaml',
      'base-hot.no-server',
      /no server named as the VDU "workerNode"/,
    ],
  ])('that disagrees with the VNFD (%s -> %s) is warned of', async (from, to, code, reason) => {
    const { warnings } = await read(edit((text) => text.replace(from, to)));
    expect(warnings).toContainEqual(expect.objectContaining({ code, reason: expect.stringMatching(reason) as string }));
  });

  test('without a group for a VDU of several instances is warned of', async () => {
    const policies = `    - d: { type: tosca.policies.nfv.VduInitialDelta, properties: { initial_delta: { number_of_instances: 2 } }, targets: [ VDU1 ] }\n`;
    const { warnings } = await read(smallestPackage({ 'Definitions/top.yaml': singleFileVnfd({ policies }) }));
    expect(warnings).toMatchObject([{ code: 'base-hot.not-scalable' }]);
  });

  test('tells where the size of a group comes from', async () => {
    const desired = async (text: string) =>
      (await hotOf(edit((hot) => hot.replace('desired_capacity: 2 #', `desired_capacity: ${text} #`)))).groups[1]!.desired;
    expect(await desired('2')).toEqual({ kind: 'literal', size: 2 });
    expect(await desired('{ get_param: [ nfv, VDU, workerNode, desired_capacity ] }')).toEqual({
      kind: 'nfv',
      vduId: 'workerNode',
    });
    expect(await desired('{ get_param: worker_instance_desired_capacity }')).toEqual({
      kind: 'parameter',
      name: 'worker_instance_desired_capacity',
    });
    expect(await desired('')).toEqual({ kind: 'absent' });
    expect(await desired('{ get_attr: [ a, b ] }')).toEqual({ kind: 'computed' });
  });
});

describe('rewriting a base HOT', () => {
  const value = (text: string) => parseYaml(text, 'x', DEFAULT_YAML_LIMITS).value as Record<string, Record<string, unknown>>;

  test('changes the literal size of a group, and not one other byte', async () => {
    const hot = await hotOf(kubernetesSkeleton());
    const { template, files } = rewriteBaseHot(hot, { groupSizes: { worker_instance: 4 } });
    expect(template).toBe(hot.top.text.replace('desired_capacity: 2 #', 'desired_capacity: 4 #'));
    expect(Object.keys(files)).toEqual(['simple_nested_master.yaml', 'simple_nested_worker.yaml']);
    expect(rewriteBaseHot(hot, { groupSizes: { worker_instance: 2 } }).template).toBe(hot.top.text);
    expect(rewriteBaseHot(hot).template).toBe(hot.top.text);
  });

  test.each([
    ['in block style', '  g:\n    type: OS::Heat::AutoScalingGroup\n    properties:\n      min_size: 1\n      max_size: 3\n'],
    ['in flow style', '  g: { type: OS::Heat::AutoScalingGroup, properties: { min_size: 1, max_size: 3 } }\n'],
    [
      'behind a comment',
      '  g:\n    type: OS::Heat::AutoScalingGroup\n    properties: # sizes\n      # of the group\n      min_size: 1\n      max_size: 3\n',
    ],
  ])('puts a size where a group has none, %s', (_, group) => {
    const hot = hotFrom(`resources:\n${group}`);
    expect(value(rewriteBaseHot(hot, { groupSizes: { g: 2 } }).template)).toMatchObject({
      resources: { g: { properties: { desired_capacity: '2', min_size: '1', max_size: '3' } } },
    });
  });

  test('leaves alone what YAML 1.1 and 1.2 read differently', () => {
    const text = `heat_template_version: 2013-05-23
resources:
  g:
    type: OS::Heat::AutoScalingGroup
    properties: { min_size: 1, desired_capacity: 1 }
  server:
    properties:
      config_drive: on
      permissions: 0644
      empty:
      text: |
        desired_capacity: 1
`;
    expect(rewriteBaseHot(hotFrom(text), { groupSizes: { g: 5 } }).template).toBe(
      text.replace('desired_capacity: 1 }', 'desired_capacity: 5 }'),
    );
  });

  test('replaces a network that is managed from outside, with its subnets and all that refers to it', () => {
    const hot = hotFrom(`resources:
  server:
    type: OS::Nova::Server
    depends_on: [ subnet, other ]
    properties:
      networks:
        - network: { get_resource: inner }
        - network:
            get_resource: inner
  inner:
    type: OS::Neutron::Net
    # a comment
  subnet:
    type: OS::Neutron::Subnet
    properties:
      network: { get_resource: inner }
      cidr: 10.0.0.0/24
  other:
    type: OS::Neutron::Subnet
    depends_on: subnet
    properties: { network: { get_resource: outer } }
`);
    expect(value(rewriteBaseHot(hot, { managedNetworks: { inner: 'net-id' } }).template)).toEqual({
      resources: {
        server: {
          type: 'OS::Nova::Server',
          depends_on: ['other'],
          properties: { networks: [{ network: 'net-id' }, { network: 'net-id' }] },
        },
        other: { type: 'OS::Neutron::Subnet', depends_on: [], properties: { network: { get_resource: 'outer' } } },
      },
    });
  });

  test.each([
    ['last', 'resources:\n  a: { type: x, n: { get_resource: net } }\n  net: { type: OS::Neutron::Net }\noutputs: { o: 1 }\n'],
    ['first', 'resources:\n  net:\n    type: OS::Neutron::Net\n  a: { type: x, n: { get_resource: net } }\noutputs: { o: 1 }\n'],
    [
      'in flow style',
      'resources: { a: { type: x, n: { get_resource: net } }, net: { type: OS::Neutron::Net } }\noutputs: { o: 1 }\n',
    ],
    [
      'first in flow style',
      'resources: { net: { type: OS::Neutron::Net }, a: { type: x, n: { get_resource: net } } }\noutputs: { o: 1 }\n',
    ],
  ])('removes a network resource that stands %s', (_, text) => {
    const result = value(rewriteBaseHot(hotFrom(text), { managedNetworks: { net: 'id' } }).template);
    expect(result).toEqual({ resources: { a: { type: 'x', n: 'id' } }, outputs: { o: '1' } });
  });

  const hotFrom = (text: string) => ({
    top: { path: 'BaseHOT/default/top.yaml', text },
    files: {},
    parameters: [],
    nfvReferences: [],
    groups: [],
    servers: [],
  });
});
