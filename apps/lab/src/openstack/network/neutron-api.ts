import type { Json } from '@windlass/foundation';
import { ok, type Call } from '../http/answer.js';
import { present, type Fields } from '../http/json-fields.js';
import { Router } from '../http/router.js';
import type { Service } from '../http/service.js';
import { middlewareUnauthorized } from '../http/unauthorized.js';
import { pythonStr } from '../http/python-json.js';
import type { CloudState } from '../state/state.js';
import type { FloatingIps } from './floating-ips.js';
import type { Neutron, PortRequest } from './neutron.js';
import { bodyOf, filtered, one, projectOf, required } from './neutron-calls.js';
import { neutronError } from './neutron-errors.js';
import { floatingIpView, networkView, portView, subnetView } from './neutron-views.js';
import { quotaRoutes } from './quota-api.js';
import { routerRoutes } from './router-api.js';
import { securityGroupRoutes } from './security-group-api.js';

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
  routerRoutes(router, parts);
  quotaRoutes(router, parts.state);
  for (const empty of ['extensions', 'agents']) {
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
    .on('PUT', '/v2.0/subnets/:id', (call) => {
      const fields = bodyOf(call, 'subnet', ['name', 'enable_dhcp', 'dns_nameservers', 'gateway_ip']);
      const subnet = neutron.subnet(projectOf(call), call.params.id ?? '');
      subnet.name = fields.text('name') ?? subnet.name;
      subnet.enableDhcp = fields.flag('enable_dhcp') ?? subnet.enableDhcp;
      subnet.dnsNameservers = fields.texts('dns_nameservers') ?? subnet.dnsNameservers;
      if (fields.has('gateway_ip')) subnet.gatewayIp = fields.nullableText('gateway_ip') ?? null;
      return ok({ subnet: subnetView(subnet) });
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
