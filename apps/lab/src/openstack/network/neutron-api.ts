import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { ok, sessionOf, type Call } from '../http/answer.js';
import { Fields, present } from '../http/json-fields.js';
import { Router } from '../http/router.js';
import type { Service } from '../http/service.js';
import { middlewareUnauthorized } from '../http/unauthorized.js';
import { pythonRepr, pythonStr } from '../python-json.js';
import type { CloudState } from '../state.js';
import type { FloatingIps } from './floating-ips.js';
import type { Neutron, PortRequest } from './neutron.js';
import { badRequest, neutronError, notFound } from './neutron-errors.js';
import { floatingIpView, networkView, portView, securityGroupView, subnetView } from './neutron-views.js';

export interface NeutronParts {
  state: CloudState;
  neutron: Neutron;
  floatingIps: FloatingIps;
  /** Refuses where a quota fault is armed. */
  checkQuota: (service: 'neutron', what: string) => void;
}

/** Neutron's API, version 2.0. */
export function neutronService(parts: NeutronParts): Service {
  return {
    name: 'neutron',
    prefix: '/network',
    router: routes(parts),
    isOpen: (_method, path) => path === '' || path === '/',
    headers: (request) => ({ 'X-Openstack-Request-Id': request }),
    unauthorized: middlewareUnauthorized,
    notFound: () => neutronError(404, 'HTTPNotFound', 'The resource could not be found.'),
    wrongMethod: () => neutronError(405, 'HTTPMethodNotAllowed', 'The method is not allowed for this resource.'),
    badJson: (problem) => neutronError(400, 'MalformedRequestBody', `Malformed request body: ${problem}.`),
    failure: (status, message) => neutronError(status, status >= 500 ? 'HTTPInternalServerError' : 'HTTPClientError', message),
  };
}

function routes(parts: NeutronParts): Router {
  const router = new Router().on('GET', '/', ({ base }) =>
    ok({
      versions: [{ id: 'v2.0', status: 'CURRENT', links: [{ rel: 'self', href: `${base}/network/v2.0/` }] }],
    }),
  );
  networkRoutes(router, parts);
  subnetRoutes(router, parts);
  portRoutes(router, parts);
  floatingRoutes(router, parts);
  securityGroupRoutes(router, parts);
  for (const empty of ['routers', 'extensions', 'agents']) {
    router.on('GET', `/v2.0/${empty}`, (call) => {
      projectOf(call);
      return ok({ [empty]: [] });
    });
  }
  return router;
}

function networkRoutes(router: Router, { state, neutron, checkQuota }: NeutronParts): void {
  const seen = (call: Call) => neutron.networksOf(projectOf(call)).map((network) => networkView(neutron, network));
  router
    .on('GET', '/v2.0/networks', (call) => ok({ networks: filtered(call, seen(call)) }))
    .on('GET', '/v2.0/networks/:id', (call) => ok({ network: one(call, seen(call), 'Network') }))
    .on('POST', '/v2.0/networks', (call) => {
      const known = [
        'name',
        'admin_state_up',
        'shared',
        'router:external',
        'port_security_enabled',
        'tenant_id',
        'project_id',
        'mtu',
        'description',
      ];
      const fields = bodyOf(call, 'network', known);
      checkQuota('neutron', 'network');
      const network = neutron.createNetwork({
        projectId: projectOf(call),
        ...present({
          name: fields.text('name'),
          adminStateUp: fields.flag('admin_state_up'),
          portSecurity: fields.flag('port_security_enabled'),
        }),
      });
      return { status: 201, body: { network: networkView(neutron, network) } };
    })
    .on('DELETE', '/v2.0/networks/:id', (call) => {
      neutron.deleteNetwork(projectOf(call), call.params.id ?? '');
      return { status: 204 };
    })
    .on('PUT', '/v2.0/networks/:id', (call) => {
      const fields = bodyOf(call, 'network', ['name', 'admin_state_up', 'description']);
      const network = neutron.network(projectOf(call), call.params.id ?? '');
      network.name = fields.text('name') ?? network.name;
      network.adminStateUp = fields.flag('admin_state_up') ?? network.adminStateUp;
      state.networks.set(network.id, network);
      return ok({ network: networkView(neutron, network) });
    });
}

function subnetRoutes(router: Router, { state, neutron, checkQuota }: NeutronParts): void {
  const seen = (call: Call) => {
    const networks = new Set(neutron.networksOf(projectOf(call)).map((network) => network.id));
    return [...state.subnets.values()].filter((subnet) => networks.has(subnet.networkId)).map(subnetView);
  };
  router
    .on('GET', '/v2.0/subnets', (call) => ok({ subnets: filtered(call, seen(call)) }))
    .on('GET', '/v2.0/subnets/:id', (call) => ok({ subnet: one(call, seen(call), 'Subnet') }))
    .on('POST', '/v2.0/subnets', (call) => {
      const known = [
        'name',
        'network_id',
        'cidr',
        'ip_version',
        'gateway_ip',
        'enable_dhcp',
        'allocation_pools',
        'dns_nameservers',
        'tenant_id',
        'project_id',
      ];
      const fields = bodyOf(call, 'subnet', known);
      checkQuota('neutron', 'subnet');
      const subnet = neutron.createSubnet({
        projectId: projectOf(call),
        networkId: required(fields, 'network_id'),
        cidr: required(fields, 'cidr'),
        ...present({
          name: fields.text('name'),
          gatewayIp: fields.nullableText('gateway_ip'),
          enableDhcp: fields.flag('enable_dhcp'),
          dnsNameservers: fields.texts('dns_nameservers'),
          pools: fields.objects('allocation_pools')?.map((pool) => ({ start: pythonStr(pool.start), end: pythonStr(pool.end) })),
        }),
      });
      return { status: 201, body: { subnet: subnetView(subnet) } };
    })
    .on('DELETE', '/v2.0/subnets/:id', (call) => {
      neutron.deleteSubnet(projectOf(call), call.params.id ?? '');
      return { status: 204 };
    });
}

const PORT_FIELDS = [
  'name',
  'network_id',
  'mac_address',
  'fixed_ips',
  'allowed_address_pairs',
  'security_groups',
  'admin_state_up',
  'port_security_enabled',
  'device_id',
  'device_owner',
  'binding:vnic_type',
  'tenant_id',
  'project_id',
  'description',
];

function portRoutes(router: Router, { state, neutron, checkQuota }: NeutronParts): void {
  const seen = (call: Call) => [...state.ports.values()].filter((port) => port.projectId === projectOf(call)).map(portView);
  router
    .on('GET', '/v2.0/ports', (call) => ok({ ports: filtered(call, seen(call)) }))
    .on('GET', '/v2.0/ports/:id', (call) => ok({ port: one(call, seen(call), 'Port') }))
    .on('POST', '/v2.0/ports', (call) => {
      const fields = bodyOf(call, 'port', PORT_FIELDS);
      const networkId = required(fields, 'network_id');
      checkQuota('neutron', 'port');
      const port = neutron.createPort({ ...portRequest(fields), projectId: projectOf(call), networkId });
      return { status: 201, body: { port: portView(port) } };
    })
    .on('PUT', '/v2.0/ports/:id', (call) => {
      const fields = bodyOf(call, 'port', PORT_FIELDS);
      const port = neutron.port(projectOf(call), call.params.id ?? '');
      return ok({ port: portView(neutron.updatePort(port, portRequest(fields))) });
    })
    .on('DELETE', '/v2.0/ports/:id', (call) => {
      neutron.deletePort(projectOf(call), call.params.id ?? '');
      return { status: 204 };
    });
}

/** What a port's body asks for, as Neutron's own API and Heat's OS::Neutron::Port spell it. */
export function portRequest(fields: Fields): Partial<Omit<PortRequest, 'projectId' | 'networkId'>> {
  const text = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined);
  return present({
    name: fields.text('name'),
    mac: fields.text('mac_address'),
    fixedIps: fields
      .objects('fixed_ips')
      ?.map((ip) => present({ subnetId: text(ip.subnet_id ?? ip.subnet), address: text(ip.ip_address) })),
    addressPairs: fields
      .objects('allowed_address_pairs')
      ?.map((pair) => ({ ip_address: text(pair.ip_address) ?? '', ...present({ mac_address: text(pair.mac_address) }) })),
    securityGroups: fields.texts('security_groups'),
    adminStateUp: fields.flag('admin_state_up'),
    portSecurity: fields.flag('port_security_enabled'),
    deviceId: fields.text('device_id'),
    deviceOwner: fields.text('device_owner'),
    vnicType: fields.text('binding:vnic_type'),
    description: fields.text('description'),
  });
}

function floatingRoutes(router: Router, { floatingIps, checkQuota }: NeutronParts): void {
  const seen = (call: Call) => floatingIps.of(projectOf(call)).map(floatingIpView);
  const known = [
    'floating_network_id',
    'floating_ip_address',
    'port_id',
    'fixed_ip_address',
    'tenant_id',
    'project_id',
    'description',
  ];
  router
    .on('GET', '/v2.0/floatingips', (call) => ok({ floatingips: filtered(call, seen(call)) }))
    .on('GET', '/v2.0/floatingips/:id', (call) => ok({ floatingip: one(call, seen(call), 'FloatingIP') }))
    .on('POST', '/v2.0/floatingips', (call) => {
      const fields = bodyOf(call, 'floatingip', known);
      checkQuota('neutron', 'floatingip');
      const made = floatingIps.create(
        projectOf(call),
        required(fields, 'floating_network_id'),
        present({ address: fields.text('floating_ip_address') }),
      );
      const port = fields.text('port_id');
      if (port !== undefined) floatingIps.associate(projectOf(call), made.id, port, fields.text('fixed_ip_address'));
      return { status: 201, body: { floatingip: floatingIpView(made) } };
    })
    .on('PUT', '/v2.0/floatingips/:id', (call) => {
      const fields = bodyOf(call, 'floatingip', known);
      const floating = floatingIps.associate(
        projectOf(call),
        call.params.id ?? '',
        fields.text('port_id') ?? null,
        fields.text('fixed_ip_address'),
      );
      return ok({ floatingip: floatingIpView(floating) });
    })
    .on('DELETE', '/v2.0/floatingips/:id', (call) => {
      floatingIps.delete(projectOf(call), call.params.id ?? '');
      return { status: 204 };
    });
}

function securityGroupRoutes(router: Router, { state, neutron }: NeutronParts): void {
  const seen = (call: Call) => {
    const project = projectOf(call);
    neutron.defaultSecurityGroup(project);
    return [...state.securityGroups.values()].filter((group) => group.projectId === project).map(securityGroupView);
  };
  router
    .on('GET', '/v2.0/security-groups', (call) => ok({ security_groups: filtered(call, seen(call)) }))
    .on('GET', '/v2.0/security-groups/:id', (call) => ok({ security_group: one(call, seen(call), 'SecurityGroup') }))
    .on('POST', '/v2.0/security-groups', (call) => {
      const fields = bodyOf(call, 'security_group', ['name', 'description', 'tenant_id', 'project_id']);
      const group = neutron.createSecurityGroup(projectOf(call), fields.text('name') ?? '', fields.text('description') ?? '');
      return { status: 201, body: { security_group: securityGroupView(group) } };
    })
    .on('DELETE', '/v2.0/security-groups/:id', (call) => {
      neutron.deleteSecurityGroup(projectOf(call), call.params.id ?? '');
      return { status: 204 };
    });
}

function projectOf(call: Call): string {
  const project = sessionOf(call).project;
  if (project === undefined) throw middlewareUnauthorized();
  return project.id;
}

function bodyOf(call: Call, name: string, known: readonly string[]): Fields {
  const member = isJsonObject(call.json) ? call.json[name] : undefined;
  if (!isJsonObject(member)) throw badRequest(`Unable to find '${name}' in request body`);
  const fields = new Fields(member, (field, value, expected) =>
    badRequest(`Invalid input for ${field}. Reason: ${pythonRepr(value)} is not a valid ${expected}.`),
  );
  const unknown = fields.unknown(known);
  if (unknown.length > 0) throw badRequest(`Unrecognized attribute(s) '${unknown.join(', ')}'`);
  return fields;
}

function required(fields: Fields, name: string): string {
  const value = fields.text(name);
  if (value === undefined) throw badRequest(`Failed to parse request. Required attribute '${name}' not specified`);
  return value;
}

function one(call: Call, seen: JsonObject[], kind: string): JsonObject {
  const id = call.params.id ?? '';
  const found = seen.find((view) => view.id === id);
  if (found === undefined) throw notFound(kind, id);
  return withFields(call, [found])[0] ?? found;
}

const PAGING = ['fields', 'limit', 'marker', 'sort_key', 'sort_dir', 'page_reverse'];

/** The views that match every query member; members may repeat, which means any of them. */
function filtered(call: Call, views: JsonObject[]): Json[] {
  const names = [...new Set(call.query.keys())].filter((name) => !PAGING.includes(name));
  const matching = views.filter((view) => names.every((name) => matches(view, name, call.query.getAll(name))));
  return withFields(call, paged(call, matching));
}

function matches(view: JsonObject, name: string, wanted: string[]): boolean {
  if (name === 'fixed_ips') return wanted.every((clause) => hasFixedIp(view, clause));
  const value = view[name];
  if (value === undefined) return false;
  if (Array.isArray(value)) return wanted.every((text) => text.split(',').every((part) => value.includes(part)));
  return wanted.some(
    (text) => text === pythonStr(value ?? '') || (typeof value === 'boolean' && text.toLowerCase() === String(value)),
  );
}

/** `fixed_ips=ip_address=10.10.0.5` or `fixed_ips=subnet_id=...`. */
function hasFixedIp(view: JsonObject, clause: string): boolean {
  const [key, wanted] = clause.split('=');
  const list = view.fixed_ips;
  return Array.isArray(list) && list.some((ip) => isJsonObject(ip) && ip[key ?? ''] === wanted);
}

function paged(call: Call, views: JsonObject[]): JsonObject[] {
  const limit = call.query.get('limit');
  const marker = call.query.get('marker');
  const from = marker === null ? 0 : views.findIndex((view) => view.id === marker) + 1;
  return limit === null ? views.slice(from) : views.slice(from, from + Number(limit));
}

function withFields(call: Call, views: JsonObject[]): JsonObject[] {
  const fields = call.query.getAll('fields').flatMap((text) => text.split(','));
  if (fields.length === 0) return views;
  return views.map((view) => Object.fromEntries(Object.entries(view).filter(([name]) => fields.includes(name))));
}
