import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { Fields, present } from '../../http/json-fields.js';
import { isoSeconds } from '../../state/ids.js';
import { portRequest } from '../../network/neutron-api.js';
import { badRequest } from '../../network/neutron-errors.js';
import { floatingIpView, networkView, portView, securityGroupView, subnetView } from '../../network/neutron-views.js';
import { pythonStr } from '../../http/python-json.js';
import { walk } from '../template/function-parts.js';
import { anything, flag, list, map, text, whole } from '../template/properties.js';
import type { ResourceType, Work } from './resource-type.js';
import { ignoringNotFound } from './removal.js';

const id = (work: Work): string => work.resource.physicalId ?? '';
const project = (work: Work): string => work.stack.projectId;
const fieldsOf = (properties: JsonObject): Fields =>
  new Fields(properties, (field, value) => badRequest(`Invalid input for ${field}. Reason: ${JSON.stringify(value)}.`));

/** Attributes of a Neutron resource are the members of what `GET` shows; `show` is all of it. */
const attributeOf = (view: JsonObject | undefined, name: string, path: Json[]): Json => {
  if (view === undefined) return null;
  const value = name === 'show' ? view : (view[name] ?? view[ALIASES[name] ?? '']);
  return walk(value, path) ?? null;
};
const ALIASES: Record<string, string> = { network: 'network_id', subnets: 'subnets' };

/** Where Heat takes `network` and the older `network_id`. */
const networkOf = (work: Work): string => pythonStr(work.properties.network ?? work.properties.network_id ?? '');

const portData = (work: Work): JsonObject | undefined => {
  const port = work.cloud.state.ports.get(id(work));
  return port === undefined ? undefined : portView(port);
};

export const portType: ResourceType = {
  name: 'OS::Neutron::Port',
  properties: {
    network: text({ constraint: 'network' }),
    network_id: text({ constraint: 'network' }),
    name: text({ update: true }),
    fixed_ips: list(
      map({
        subnet: text({ constraint: 'subnet' }),
        subnet_id: text({ constraint: 'subnet' }),
        ip_address: text({ constraint: 'ip_addr' }),
      }),
      { update: true },
    ),
    mac_address: text({ update: true, constraint: 'mac_addr' }),
    allowed_address_pairs: list(map({ ip_address: text({ required: true }), mac_address: text({ constraint: 'mac_addr' }) }), {
      update: true,
    }),
    security_groups: list(text({ constraint: 'security_group' }), { update: true }),
    admin_state_up: flag({ update: true }),
    port_security_enabled: flag({ update: true }),
    device_id: text({ update: true }),
    device_owner: text({ update: true }),
    'binding:vnic_type': text({
      update: true,
      allowed: ['normal', 'direct', 'macvtap', 'direct-physical', 'baremetal', 'virtio-forwarder', 'smart-nic'],
    }),
    dns_name: text({ update: true }),
    qos_policy: text({ update: true }),
    replacement_policy: text({ update: true, allowed: ['REPLACE_ALWAYS', 'AUTO'] }),
    value_specs: map(undefined, { update: true }),
    tags: list(text(), { update: true }),
    no_fixed_ips: flag({ update: true }),
  },
  attributes: [
    'admin_state_up',
    'device_id',
    'device_owner',
    'fixed_ips',
    'mac_address',
    'name',
    'network_id',
    'security_groups',
    'status',
    'tenant_id',
    'allowed_address_pairs',
    'subnets',
    'port_security_enabled',
    'qos_policy_id',
    'dns_assignment',
    'network',
    'show',
  ],
  create(work) {
    work.cloud.checkQuota('neutron', 'port');
    // An empty list lets Neutron choose, as if it were not there.
    const { fixedIps, ...others } = portRequest(fieldsOf(work.properties));
    const requested = fixedIps === undefined || fixedIps.length === 0 ? others : { ...others, fixedIps };
    const noIps = work.properties.no_fixed_ips === true;
    const port = work.cloud.neutron.createPort({
      ...requested,
      projectId: project(work),
      networkId: networkOf(work),
      name: requested.name ?? work.physicalName(),
      ...(noIps ? { fixedIps: [] } : {}),
      ...present({ tags: fieldsOf(work.properties).texts('tags') }),
    });
    work.resource.physicalId = port.id;
  },
  async update(work, changed) {
    const { neutron, nova, state } = work.cloud;
    const port = neutron.port(project(work), id(work));
    const { fixedIps, ...requested } = portRequest(
      fieldsOf(Object.fromEntries(changed.map((name) => [name, work.properties[name] ?? null]))),
    );
    // An empty list leaves a port its addresses: Heat asks Neutron for none then.
    neutron.updatePort(port, fixedIps === undefined || fixedIps.length === 0 ? requested : { ...requested, fixedIps });
    const server = state.servers.get(port.deviceId);
    const visible = changed.some((name) => ['fixed_ips', 'allowed_address_pairs'].includes(name));
    if (server !== undefined && visible)
      await nova.replug(
        server,
        server.portIds.map((portId) => ({ portId })),
      );
  },
  remove(work) {
    if (work.resource.physicalId === null) return;
    ignoringNotFound(() => work.cloud.neutron.deletePort(project(work), id(work)));
  },
  /** Its addresses go to its replacement, if that is on the same network: the old port has none from now on. */
  prepareReplace(work) {
    const port = work.cloud.state.ports.get(id(work));
    if (port !== undefined) port.fixedIps = [];
  },
  needsReplaceFailed: (work) => portData(work) === undefined,
  attribute(work, name, path) {
    if (name !== 'subnets') return attributeOf(portData(work), name, path);
    const port = work.cloud.state.ports.get(id(work));
    const subnets = (port?.fixedIps ?? []).flatMap((ip) => work.cloud.state.subnets.get(ip.subnet_id) ?? []).map(subnetView);
    return walk(subnets, path) ?? null;
  },
  show: (work) => portData(work) ?? {},
};

const netData = (work: Work): JsonObject | undefined => {
  const network = work.cloud.state.networks.get(id(work));
  return network === undefined ? undefined : networkView(work.cloud.neutron, network);
};

export const netType: ResourceType = {
  name: 'OS::Neutron::Net',
  properties: {
    name: text({ update: true }),
    admin_state_up: flag({ update: true }),
    shared: flag({ update: true }),
    port_security_enabled: flag({ update: true }),
    tenant_id: text(),
    dns_domain: text({ update: true }),
    qos_policy: text({ update: true }),
    availability_zone_hints: list(text()),
    dhcp_agent_ids: list(text(), { update: true }),
    value_specs: map(undefined, { update: true }),
    tags: list(text(), { update: true }),
  },
  attributes: [
    'status',
    'name',
    'subnets',
    'admin_state_up',
    'tenant_id',
    'mtu',
    'qos_policy_id',
    'port_security_enabled',
    'l2_adjacency',
    'segments',
    'show',
  ],
  create(work) {
    work.cloud.checkQuota('neutron', 'network');
    const fields = fieldsOf(work.properties);
    const network = work.cloud.neutron.createNetwork({
      projectId: project(work),
      name: fields.text('name') ?? work.physicalName(),
      ...present({
        adminStateUp: fields.flag('admin_state_up'),
        portSecurity: fields.flag('port_security_enabled'),
        tags: fields.texts('tags'),
      }),
    });
    work.resource.physicalId = network.id;
  },
  update(work) {
    const network = work.cloud.neutron.network(project(work), id(work));
    const fields = fieldsOf(work.properties);
    network.name = fields.text('name') ?? network.name;
    network.adminStateUp = fields.flag('admin_state_up') ?? network.adminStateUp;
    network.updatedAt = isoSeconds();
  },
  remove(work) {
    if (work.resource.physicalId === null) return;
    ignoringNotFound(() => work.cloud.neutron.deleteNetwork(project(work), id(work)));
  },
  needsReplaceFailed: (work) => netData(work) === undefined,
  attribute: (work, name, path) => attributeOf(netData(work), name, path),
  show: (work) => netData(work) ?? {},
};

const subnetData = (work: Work): JsonObject | undefined => {
  const subnet = work.cloud.state.subnets.get(id(work));
  return subnet === undefined ? undefined : subnetView(subnet);
};

export const subnetType: ResourceType = {
  name: 'OS::Neutron::Subnet',
  properties: {
    network: text({ constraint: 'network' }),
    network_id: text({ constraint: 'network' }),
    cidr: text({ constraint: 'net_cidr' }),
    name: text({ update: true }),
    ip_version: whole(),
    gateway_ip: text({ update: true }),
    enable_dhcp: flag({ update: true }),
    dns_nameservers: list(text(), { update: true }),
    allocation_pools: list(map({ start: text({ required: true }), end: text({ required: true }) }), { update: true }),
    host_routes: list(map({ destination: text(), nexthop: text() }), { update: true }),
    tenant_id: text(),
    subnetpool: text(),
    prefixlen: whole(),
    ipv6_address_mode: text({ allowed: ['dhcpv6-stateful', 'dhcpv6-stateless', 'slaac'] }),
    ipv6_ra_mode: text({ allowed: ['dhcpv6-stateful', 'dhcpv6-stateless', 'slaac'] }),
    value_specs: map(undefined, { update: true }),
    tags: list(text(), { update: true }),
  },
  attributes: [
    'name',
    'network_id',
    'tenant_id',
    'allocation_pools',
    'gateway_ip',
    'host_routes',
    'ip_version',
    'cidr',
    'dns_nameservers',
    'enable_dhcp',
    'subnetpool_id',
    'show',
  ],
  create(work) {
    work.cloud.checkQuota('neutron', 'subnet');
    const fields = fieldsOf(work.properties);
    const gateway = fields.text('gateway_ip');
    const subnet = work.cloud.neutron.createSubnet({
      projectId: project(work),
      networkId: networkOf(work),
      cidr: fields.text('cidr') ?? '',
      name: fields.text('name') ?? work.physicalName(),
      ...present({
        gatewayIp: gateway === '' ? null : gateway,
        enableDhcp: fields.flag('enable_dhcp'),
        dnsNameservers: fields.texts('dns_nameservers'),
        pools: fields.objects('allocation_pools')?.map((pool) => ({ start: pythonStr(pool.start), end: pythonStr(pool.end) })),
      }),
    });
    work.resource.physicalId = subnet.id;
  },
  update(work) {
    const subnet = work.cloud.state.subnets.get(id(work));
    const fields = fieldsOf(work.properties);
    if (subnet === undefined) return;
    subnet.name = fields.text('name') ?? subnet.name;
    subnet.dnsNameservers = fields.texts('dns_nameservers') ?? subnet.dnsNameservers;
    subnet.enableDhcp = fields.flag('enable_dhcp') ?? subnet.enableDhcp;
    subnet.updatedAt = isoSeconds();
  },
  remove(work) {
    if (work.resource.physicalId === null) return;
    ignoringNotFound(() => work.cloud.neutron.deleteSubnet(project(work), id(work)));
  },
  needsReplaceFailed: (work) => subnetData(work) === undefined,
  attribute: (work, name, path) => attributeOf(subnetData(work), name, path),
  show: (work) => subnetData(work) ?? {},
};

const floatingData = (work: Work): JsonObject | undefined => {
  const floating = work.cloud.state.floatingIps.get(id(work));
  return floating === undefined ? undefined : floatingIpView(floating);
};

export const floatingIpType: ResourceType = {
  name: 'OS::Neutron::FloatingIP',
  properties: {
    floating_network: text({ constraint: 'network' }),
    floating_network_id: text({ constraint: 'network' }),
    floating_subnet: text({ constraint: 'subnet' }),
    floating_ip_address: text(),
    port_id: text({ update: true, constraint: 'port' }),
    fixed_ip_address: text({ update: true }),
    dns_name: text({ update: true }),
    dns_domain: text({ update: true }),
    value_specs: map(),
    tags: list(text(), { update: true }),
  },
  attributes: ['router_id', 'tenant_id', 'floating_network_id', 'fixed_ip_address', 'floating_ip_address', 'port_id', 'show'],
  create(work) {
    work.cloud.checkQuota('neutron', 'floatingip');
    const fields = fieldsOf(work.properties);
    const network = fields.text('floating_network') ?? fields.text('floating_network_id') ?? '';
    const made = work.cloud.floatingIps.create(project(work), network, present({ address: fields.text('floating_ip_address') }));
    work.resource.physicalId = made.id;
    const port = fields.text('port_id');
    if (port !== undefined) work.cloud.floatingIps.associate(project(work), made.id, port, fields.text('fixed_ip_address'));
  },
  update(work) {
    const fields = fieldsOf(work.properties);
    work.cloud.floatingIps.associate(project(work), id(work), null);
    const port = fields.text('port_id');
    if (port !== undefined) work.cloud.floatingIps.associate(project(work), id(work), port, fields.text('fixed_ip_address'));
  },
  remove(work) {
    if (work.resource.physicalId === null) return;
    ignoringNotFound(() => work.cloud.floatingIps.delete(project(work), id(work)));
  },
  needsReplaceFailed: (work) => floatingData(work) === undefined,
  attribute: (work, name, path) => attributeOf(floatingData(work), name, path),
  show: (work) => floatingData(work) ?? {},
};

export const floatingIpAssociationType: ResourceType = {
  name: 'OS::Neutron::FloatingIPAssociation',
  properties: {
    floatingip_id: text({ required: true, update: true }),
    port_id: text({ required: true, update: true, constraint: 'port' }),
    fixed_ip_address: text({ update: true }),
  },
  attributes: ['show'],
  create: associate,
  update(work, _changed, before) {
    ignoringNotFound(() => work.cloud.floatingIps.associate(project(work), pythonStr(before.floatingip_id), null));
    associate(work);
  },
  remove(work) {
    if (work.resource.physicalId === null) return;
    ignoringNotFound(() => work.cloud.floatingIps.associate(project(work), id(work), null));
  },
  attribute: () => null,
  show: () => ({}),
};

function associate(work: Work): void {
  const fields = fieldsOf(work.properties);
  const floating = fields.text('floatingip_id') ?? '';
  work.cloud.floatingIps.associate(project(work), floating, fields.text('port_id') ?? '', fields.text('fixed_ip_address'));
  work.resource.physicalId = floating;
}

const groupData = (work: Work): JsonObject | undefined => {
  const group = work.cloud.state.securityGroups.get(id(work));
  return group === undefined ? undefined : securityGroupView(group);
};

export const securityGroupType: ResourceType = {
  name: 'OS::Neutron::SecurityGroup',
  properties: { name: text({ update: true }), description: text({ update: true }), rules: list(anything(), { update: true }) },
  attributes: ['show'],
  create(work) {
    const fields = fieldsOf(work.properties);
    const rules = (fields.list('rules') ?? []).filter(isJsonObject);
    const name = fields.text('name') ?? work.physicalName();
    const group = work.cloud.neutron.createSecurityGroup(project(work), name, fields.text('description') ?? '', rules);
    work.resource.physicalId = group.id;
  },
  update(work) {
    const group = work.cloud.neutron.securityGroup(project(work), id(work));
    const fields = fieldsOf(work.properties);
    group.name = fields.text('name') ?? group.name;
    group.rules = [
      { direction: 'egress', ethertype: 'IPv4' },
      { direction: 'egress', ethertype: 'IPv6' },
      ...(fields.list('rules') ?? []).filter(isJsonObject),
    ];
  },
  remove(work) {
    if (work.resource.physicalId === null) return;
    ignoringNotFound(() => work.cloud.neutron.deleteSecurityGroup(project(work), id(work)));
  },
  needsReplaceFailed: (work) => groupData(work) === undefined,
  attribute: (work, name, path) => attributeOf(groupData(work), name, path),
  show: (work) => groupData(work) ?? {},
};
