import type { Json, JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OpenStackEmulator } from './emulator.js';
import type { TenantSeed } from './options.js';
import { at, passwordRequest, pathOf, send, TestClient, text, type Reply } from './testing/client.js';
import { manyKinds } from './testing/many-kinds.js';
import { recordings } from './testing/recordings.js';
import { differences, normalized } from './testing/shape.js';

interface World {
  emulator: OpenStackEmulator;
  user: TestClient;
  admin: TestClient;
  other: TestClient;
  stack: JsonObject;
  /** Physical ids by resource name. */
  ids: Record<string, string>;
}

type Ask = (world: World) => Promise<Reply>;

const none = 'b08324e7-eb34-43b1-b128-1e6eebd8e15f';
const octets = { 'Content-Type': 'application/octet-stream' };

/** Where the emulator knowingly differs from the recording. */
const IGNORED: Record<string, string[]> = {
  // The SDK that made the recorded images adds properties of its own.
  g_images_name: [
    '.images[].owner_specified.openstack.md5',
    '.images[].owner_specified.openstack.sha256',
    '.images[].owner_specified.openstack.object',
  ],
  q_sgs: ['.security_groups[].security_group_rules[].standard_attr_id'],
  // Host names are those of the machine.
  nova_az_detail_admin: ['.availabilityZoneInfo[].hosts'],
  // Random names are keys here.
  p4_nested_show: ['.stack.outputs[].output_value', '.stack.updated_time'],
  p4_nested_template: ['.resources', '.outputs.refs_map.value'],
};

async function imageOf(world: World): Promise<string> {
  const made = await world.user.glance('POST', '/images', {
    name: 'im1',
    disk_format: 'raw',
    container_format: 'bare',
    tags: ['t1'],
    foo: 'bar',
  });
  return text(at(made.body, 'id'));
}

async function activeImage(world: World): Promise<string> {
  const id = await imageOf(world);
  await world.user.upload(id, 'hello world');
  return id;
}

/** A network with so many free addresses that five ports use them up. */
async function smallNetwork({ user }: World, ports = 0): Promise<string> {
  const id = text(at(at((await user.neutron('POST', '/networks', { network: { name: 'tmpn' } })).body, 'network'), 'id'));
  await user.neutron('POST', '/subnets', { subnet: { network_id: id, cidr: '10.99.0.0/29', ip_version: 4 } });
  for (let made = 0; made < ports; made += 1) await user.neutron('POST', '/ports', { port: { network_id: id } });
  return id;
}

const keystone: Record<string, Ask> = {
  ver_ks_root_notoken: ({ emulator }) => send('GET', emulator.url.replace('/v3', '/')),
  ver_ks_v3_notoken: ({ emulator }) => send('GET', emulator.url),
  ks_badpw: ({ emulator }) => send('POST', `${emulator.url}/auth/tokens`, unscoped({ ...emulator.tenant, password: 'no' })),
  ks_badproject: ({ emulator }) =>
    send('POST', `${emulator.url}/auth/tokens`, passwordRequest({ ...emulator.tenant, project: 'nope' })),
  ks_emptybody: ({ emulator }) => send('POST', `${emulator.url}/auth/tokens`, {}),
  ks_nodomain: ({ emulator }) =>
    send('POST', `${emulator.url}/auth/tokens`, {
      auth: { identity: { methods: ['password'], password: { user: { name: 'vnfm', password: 'x' } } } },
    }),
  ks_unscoped: ({ emulator }) => send('POST', `${emulator.url}/auth/tokens`, unscoped(emulator.tenant)),
  ks_validate: ({ emulator, user }) =>
    user.send('GET', `${emulator.url}/auth/tokens`, undefined, { 'X-Subject-Token': user.token }),
  ks_validate_bad: ({ emulator, user }) =>
    user.send('GET', `${emulator.url}/auth/tokens`, undefined, { 'X-Subject-Token': 'nope' }),
  ks_validate_noauth: ({ emulator, user }) =>
    send('GET', `${emulator.url}/auth/tokens`, undefined, { 'X-Subject-Token': user.token }),
  ks_regions: ({ emulator, user }) => user.send('GET', `${emulator.url}/regions`),
  ks_region_404: ({ emulator, user }) => user.send('GET', `${emulator.url}/regions/no`),
  ks_auth_projects: ({ emulator, user }) => user.send('GET', `${emulator.url}/auth/projects`),
  ks_404: ({ emulator, user }) => user.send('GET', `${emulator.url}/nope`),
  ks_revoke: async ({ emulator, user }) => {
    const spare = await TestClient.login(emulator);
    return user.send('DELETE', `${emulator.url}/auth/tokens`, undefined, { 'X-Subject-Token': spare.token });
  },
};

const unscoped = (who: TenantSeed): Json => {
  const request = passwordRequest(who);
  return { auth: { identity: at(request.auth ?? null, 'identity') } };
};

const heat: Record<string, Ask> = {
  heat_versions: ({ user }) => user.send('GET', user.endpoints.orchestration!.replace(/\/v1\/.*/, '/')),
  heat_list: ({ user }) => user.heat('GET', '/stacks'),
  heat_list_noname: ({ user }) => user.heat('GET', '/stacks?name=zz'),
  heat_404: ({ user }) => user.heat('GET', '/stacks/nope'),
  heat_res404: ({ user }) => user.heat('GET', `${none1}/resources/nope`),
  heat_res_meta: ({ user }) => user.heat('GET', `${none1}/resources/r/metadata`),
  heat_mark_nobody: ({ user }) => user.heat('PATCH', `${none1}/resources/r`, {}),
  heat_mark_bad: ({ user }) => user.heat('PATCH', `${none1}/resources/r`, { mark_unhealthy: 'foo' }),
  heat_mark_extra: ({ user }) => user.heat('PATCH', `${none1}/resources/r`, { mark_unhealthy: true, foo: 1 }),
  heat_mark404: ({ user }) => user.heat('PATCH', `${none1}/resources/nope`, { mark_unhealthy: true }),
  heat_signal_bad: ({ user }) => user.heat('POST', `${none1}/resources/r/signal`),
  heat_events: ({ user }) => user.heat('GET', `${none1}/events`),
  heat_outputs: ({ user }) => user.heat('GET', `${none1}/outputs`),
  heat_output404: ({ user }) => user.heat('GET', `${none1}/outputs/x`),
  heat_actions_bad: ({ user }) => user.heat('POST', `${none1}/actions`, { foo: null }),
  heat_actions_empty: ({ user }) => user.heat('POST', `${none1}/actions`, {}),
  heat_method: ({ user }) => user.heat('PUT', '/stacks'),
  heat_put_notmpl: ({ user }) => user.heat('PUT', none1, {}),
  heat_list_badlimit: ({ user }) => user.heat('GET', '/stacks?limit=x'),
  heat_res_badname: ({ user }) => user.heat('GET', `${none1}/resources?foo=1`),
  heat_res_baddepth: ({ user }) => user.heat('GET', `${none1}/resources?nested_depth=x`),
  heat_otherproject: ({ user, other }) => user.send('GET', `${other.endpoints.orchestration}/stacks`),
  unknownpath_heat: ({ user }) => user.heat('GET', '/nope'),
  badtoken_heat: ({ user }) => send('GET', `${user.endpoints.orchestration}/stacks`, undefined, { 'X-Auth-Token': 'nope' }),
  heat_dup: ({ user }) => user.heat('POST', '/stacks', { stack_name: 'none1', template: nothing }),
  p5_byname: ({ user }) => user.heat('GET', '/stacks/d1'),
  p4_nested_show: async ({ user, stack }) => {
    const group = (await user.resources(stack, 0)).find((one) => one.resource_name === 'asg')!;
    return user.send('GET', user.link(group, 'nested'));
  },
  p4_put_unknown: ({ user, stack }) => user.heat('PUT', pathOf(stack), { template: nothing, parameters: { zz: 1 } }),
};

const nothing = 'heat_template_version: 2018-08-31\nresources: {r: {type: OS::Heat::None}}\n';
let none1 = '';

const compute: Record<string, Ask> = {
  ver_nova_root_notoken: ({ user }) => send('GET', user.endpoints.compute!.replace('/v2.1', '/')),
  ver_nova_v21_notoken: ({ user }) => send('GET', `${user.endpoints.compute}/`),
  nova_servers: ({ user }) => user.nova('GET', '/servers'),
  nova_show: ({ user, ids }) => user.nova('GET', `/servers/${ids.s1}`),
  nova_show_admin: ({ admin, ids }) => admin.nova('GET', `/servers/${ids.s1}`),
  nova_show_293: ({ user, ids }) => user.nova('GET', `/servers/${ids.s1}`, undefined, { 'X-OpenStack-Nova-API-Version': '2.93' }),
  nova_show_404: ({ user }) => user.nova('GET', '/servers/nope'),
  nova_badmv: ({ user, ids }) => user.nova('GET', `/servers/${ids.s1}`, undefined, { 'X-OpenStack-Nova-API-Version': '2.999' }),
  nova_servers_all: ({ user }) => user.nova('GET', '/servers?all_tenants=1'),
  nova_flavors: ({ user }) => user.nova('GET', '/flavors'),
  nova_flavors_detail: ({ user }) => user.nova('GET', '/flavors/detail'),
  nova_flavor_404: ({ user }) => user.nova('GET', '/flavors/nope'),
  nova_flavor_create_user: ({ user }) => user.nova('POST', '/flavors', { flavor: { name: 'x', ram: 1, vcpus: 1, disk: 1 } }),
  nova_flavor_dup: async ({ admin }) => {
    const flavor = { flavor: { name: 'xx', ram: 64, vcpus: 1, disk: 1 } };
    await admin.nova('POST', '/flavors', flavor);
    return admin.nova('POST', '/flavors', flavor);
  },
  nova_flavor_bad: ({ admin }) => admin.nova('POST', '/flavors', { flavor: { name: 'xx' } }),
  nova_az: ({ user }) => user.nova('GET', '/os-availability-zone'),
  nova_az_detail: ({ user }) => user.nova('GET', '/os-availability-zone/detail'),
  nova_az_detail_admin: ({ admin }) => admin.nova('GET', '/os-availability-zone/detail'),
  nova_group: ({ user, ids }) => user.nova('GET', `/os-server-groups/${ids.srvg}`),
  nova_group_404: ({ user }) => user.nova('GET', `/os-server-groups/${none}`),
  nova_va: ({ user, ids }) => user.nova('GET', `/servers/${ids.s1}/os-volume_attachments`),
  nova_ifs: ({ user, ids }) => user.nova('GET', `/servers/${ids.s1}/os-interface`),
  nova_kp: ({ user }) => user.nova('GET', '/os-keypairs/kp2'),
  nova_limits: ({ user }) => user.nova('GET', '/limits'),
  nova_ips: ({ user, ids }) => user.nova('GET', `/servers/${ids.s1}/ips`),
  nova_reboot: ({ user, ids }) => user.nova('POST', `/servers/${ids.s1}/action`, { reboot: { type: 'SOFT' } }),
  nova_reboot_bad: ({ user, ids }) => user.nova('POST', `/servers/${ids.s1}/action`, { reboot: { type: 'X' } }),
  nova_action_bad: ({ user, ids }) => user.nova('POST', `/servers/${ids.s1}/action`, { foo: {} }),
  badtoken_nova: ({ user }) => send('GET', `${user.endpoints.compute}/servers`, undefined, { 'X-Auth-Token': 'nope' }),
  unknownpath_nova: ({ user }) => user.nova('GET', '/nope'),
};

const network: Record<string, Ask> = {
  ver_neutron_root_notoken: ({ user }) => send('GET', `${user.endpoints.network}/`),
  q_network_name: ({ user }) => user.neutron('GET', '/networks?name=net0'),
  q_network_404: ({ user }) => user.neutron('GET', '/networks/nope'),
  q_subnets: ({ user }) => user.neutron('GET', '/subnets'),
  q_port: ({ user, ids }) => user.neutron('GET', `/ports/${ids.p1}`),
  q_port_404: ({ user }) => user.neutron('GET', '/ports/nope'),
  q_port_fields: ({ user }) => user.neutron('GET', '/ports?fields=id&fields=name'),
  q_sgs: ({ user }) => user.neutron('GET', '/security-groups'),
  q_sub_create: async (world) => {
    const made = await world.user.neutron('POST', '/networks', { network: { name: 'one-more' } });
    const id = text(at(at(made.body, 'network'), 'id'));
    return world.user.neutron('POST', '/subnets', { subnet: { network_id: id, cidr: '10.99.0.0/29', ip_version: 4 } });
  },
  q_port_create: async (world) =>
    world.user.neutron('POST', '/ports', { port: { network_id: await smallNetwork(world), name: 'tp' } }),
  q_port_bad_ip: async (world) =>
    world.user.neutron('POST', '/ports', {
      port: { network_id: await smallNetwork(world), fixed_ips: [{ ip_address: '1.2.3.4' }] },
    }),
  q_port_badattr: async (world) =>
    world.user.neutron('POST', '/ports', { port: { network_id: await smallNetwork(world), foo: 1 } }),
  q_port_nonet: ({ user }) => user.neutron('POST', '/ports', { port: {} }),
  q_port_badnet: ({ user }) => user.neutron('POST', '/ports', { port: { network_id: none } }),
  q_nobody: ({ user }) => user.neutron('POST', '/ports', {}),
  q_net_inuse: async (world) => world.user.neutron('DELETE', `/networks/${await smallNetwork(world, 1)}`),
  q_port_exhausted: async (world) => world.user.neutron('POST', '/ports', { port: { network_id: await smallNetwork(world, 5) } }),
  q_sub_badcidr: async (world) =>
    world.user.neutron('POST', '/subnets', { subnet: { network_id: await smallNetwork(world), cidr: 'x', ip_version: 4 } }),
  q_sub_overlap: async (world) =>
    world.user.neutron('POST', '/subnets', {
      subnet: { network_id: await smallNetwork(world), cidr: '10.99.0.0/29', ip_version: 4 },
    }),
  q_port_del: async ({ user, ids }) => {
    const net = text(at(at((await user.neutron('GET', `/ports/${ids.p2}`)).body, 'port'), 'network_id'));
    const made = await user.neutron('POST', '/ports', { port: { network_id: net } });
    return user.neutron('DELETE', `/ports/${text(at(at(made.body, 'port'), 'id'))}`);
  },
  badtoken_neutron: ({ user }) => send('GET', `${user.endpoints.network}/v2.0/networks`, undefined, { 'X-Auth-Token': 'nope' }),
  unknownpath_neutron: ({ user }) => user.neutron('GET', '/nope'),
};

const image: Record<string, Ask> = {
  ver_glance_root_notoken: ({ user }) => send('GET', `${user.endpoints.image}/`),
  g_images_name: ({ user }) => user.glance('GET', '/images?name=cirros'),
  g_404: ({ user }) => user.glance('GET', '/images/nope'),
  g_create: ({ user }) =>
    user.glance('POST', '/images', { name: 'im1', disk_format: 'raw', container_format: 'bare', tags: ['t1'], foo: 'bar' }),
  g_queued_file: async (world) => world.user.glance('GET', `/images/${await imageOf(world)}/file`),
  g_upload: async (world) => world.user.upload(await imageOf(world), 'hello world', octets),
  g_active: async (world) => world.user.glance('GET', `/images/${await activeImage(world)}`),
  g_upload_again: async (world) => world.user.upload(await activeImage(world), 'hello', octets),
  g_file: async (world) => world.user.glance('GET', `/images/${await activeImage(world)}/file`),
  g_tag: async (world) => world.user.glance('PUT', `/images/${await imageOf(world)}/tags/t2`),
  g_tag_del404: async (world) => world.user.glance('DELETE', `/images/${await imageOf(world)}/tags/t2`),
  g_badlimit: ({ user }) => user.glance('GET', '/images?limit=x'),
  g_delete: async (world) => world.user.glance('DELETE', `/images/${await imageOf(world)}`),
  g_create_id: async (world) => {
    const id = await imageOf(world);
    await world.user.glance('DELETE', `/images/${id}`);
    return world.user.glance('POST', '/images', { id, name: 'im1' });
  },
  g_delete_public: async ({ user }) => {
    const images = at((await user.glance('GET', '/images?name=cirros')).body, 'images');
    return user.glance('DELETE', `/images/${text(at(Array.isArray(images) ? images[0]! : null, 'id'))}`);
  },
  badtoken_glance: ({ user }) => send('GET', `${user.endpoints.image}/v2/images`, undefined, { 'X-Auth-Token': 'nope' }),
  unknownpath_glance: ({ user }) => user.glance('GET', '/nope'),
};

const volume: Record<string, Ask> = {
  ver_cinder_root_notoken: ({ user }) => send('GET', user.endpoints.volumev3!.replace(/\/v3\/.*/, '/')),
  c_vols: ({ user }) => user.cinder('GET', '/volumes'),
  c_detail: ({ user }) => user.cinder('GET', '/volumes/detail'),
  c_show: ({ user, ids }) => user.cinder('GET', `/volumes/${ids.vol}`),
  c_404: ({ user }) => user.cinder('GET', '/volumes/nope'),
  c_types: ({ user }) => user.cinder('GET', '/types'),
  c_create: ({ user }) => user.cinder('POST', '/volumes', { volume: { size: 1, name: 'v' } }),
  c_del: async ({ user }) => {
    const made = await user.cinder('POST', '/volumes', { volume: { size: 1, name: 'v' } });
    return user.cinder('DELETE', `/volumes/${text(at(at(made.body, 'volume'), 'id'))}`);
  },
  c_del_inuse: ({ user, ids }) => user.cinder('DELETE', `/volumes/${ids.vol}`),
  c_bad: ({ user }) => user.cinder('POST', '/volumes', { volume: { size: 'x' } }),
  c_bad2: ({ user }) => user.cinder('POST', '/volumes', { volume: {} }),
  cinder_otherproject: ({ user, other }) => user.send('GET', `${other.endpoints.volumev3}/volumes`),
  badtoken_cinder: ({ user }) => send('GET', `${user.endpoints.volumev3}/volumes`, undefined, { 'X-Auth-Token': 'nope' }),
  unknownpath_cinder: ({ user }) => user.cinder('GET', '/nope'),
};

describe('single requests are answered as the real services answered them', () => {
  let world: World;
  beforeAll(async () => {
    const emulator = await OpenStackEmulator.start();
    const user = await TestClient.login(emulator);
    const [admin, other] = [
      await TestClient.login(emulator, emulator.admin),
      await TestClient.login(emulator, emulator.secondTenant),
    ];
    none1 = pathOf(await user.create('none1', nothing));
    const stack = await user.create('pp2', manyKinds.template, { files: manyKinds.files });
    const resources = await user.resources(stack, 0);
    const ids = Object.fromEntries(resources.map((one) => [text(one.resource_name), text(one.physical_resource_id)]));
    world = { emulator, user, admin, other, stack, ids };
  });
  afterAll(async () => {
    expect(world.emulator.brokenness).toEqual([]);
    await world.emulator.stop();
  });

  const files = { keystone, heat, compute, network, image, volume };
  const cases = Object.entries(files).flatMap(([file, asks]) =>
    Object.entries(asks).map(([name, ask]) => [file, name, ask] as const),
  );

  it.each(cases)('%s: %s', async (file, name, ask) => {
    const was = recordings(file)[name]!;
    const reply = await ask(world);
    expect(reply.status).toBe(was.status);
    for (const header of Object.keys(was.headers)) expect(reply.headers.get(header), header).not.toBeNull();
    expect(reply.headers.get('content-type') ?? '').toBe(was.headers['content-type'] ?? '');
    if (was.status >= 400) expect(comparable(reply.body)).toBe(comparable(was.body));
    else expect(differences(was.body, reply.body, { ignore: IGNORED[name] ?? [] })).toEqual([]);
  });

  const comparable = (body: Json): string => normalized(JSON.stringify(body)).slice(0, 300);
});
