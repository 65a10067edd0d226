import { isJsonObject, type JsonObject } from '@windlass/foundation';
import { ok, type Call } from '../http/answer.js';
import type { Router as Routes } from '../http/router.js';
import { isoSeconds, uuid } from '../state/ids.js';
import { pythonStr } from '../http/python-json.js';
import type { CloudState, Router } from '../state/state.js';
import type { Neutron } from './neutron.js';
import { bodyOf, filtered, one, projectOf } from './neutron-calls.js';
import { badRequest, inUse, neutronError, notFound } from './neutron-errors.js';

interface Parts {
  state: CloudState;
  neutron: Neutron;
}

const INTERFACE = 'network:router_interface';

/** Routers: records and their ports. No packet is routed by them. */
export function routerRoutes(routes: Routes, parts: Parts): void {
  const { state, neutron } = parts;
  const own = (call: Call): Router[] => [...state.routers.values()].filter((router) => router.projectId === projectOf(call));
  const find = (call: Call): Router => {
    const found = own(call).find(({ id }) => id === call.params.id);
    if (found === undefined) throw notFound('Router', call.params.id ?? '');
    return found;
  };
  const seen = (call: Call) => own(call).map(routerView);
  const known = ['name', 'description', 'admin_state_up', 'external_gateway_info', 'tenant_id', 'project_id'];
  routes
    .on('GET', '/v2.0/routers', (call) => ok({ routers: filtered(call, seen(call)) }))
    .on('GET', '/v2.0/routers/:id', (call) => ok({ router: one(call, seen(call), 'Router') }))
    .on('POST', '/v2.0/routers', (call) => {
      const fields = bodyOf(call, 'router', known);
      const now = isoSeconds();
      const router: Router = {
        id: uuid(),
        name: fields.text('name') ?? '',
        projectId: projectOf(call),
        adminStateUp: fields.flag('admin_state_up') ?? true,
        gateway: null,
        createdAt: now,
        updatedAt: now,
      };
      if (fields.has('external_gateway_info')) router.gateway = gatewayOf(neutron, call, fields.raw('external_gateway_info'));
      state.routers.set(router.id, router);
      return { status: 201, body: { router: routerView(router) } };
    })
    .on('PUT', '/v2.0/routers/:id', (call) => {
      const router = find(call);
      const fields = bodyOf(call, 'router', known);
      router.name = fields.text('name') ?? router.name;
      router.adminStateUp = fields.flag('admin_state_up') ?? router.adminStateUp;
      if (fields.has('external_gateway_info')) router.gateway = gatewayOf(neutron, call, fields.raw('external_gateway_info'));
      router.updatedAt = isoSeconds();
      return ok({ router: routerView(router) });
    })
    .on('DELETE', '/v2.0/routers/:id', (call) => {
      const { id } = find(call);
      if ([...state.ports.values()].some((port) => port.deviceId === id))
        throw inUse('RouterInUse', `Router ${id} still has ports`);
      state.routers.delete(id);
      return { status: 204 };
    })
    .on('PUT', '/v2.0/routers/:id/add_router_interface', (call) => ok(addInterface(parts, call, find(call))))
    .on('PUT', '/v2.0/routers/:id/remove_router_interface', (call) => ok(removeInterface(parts, call, find(call))));
}

const subnetIn = (call: Call): string => {
  const id = isJsonObject(call.json) ? call.json.subnet_id : undefined;
  if (typeof id !== 'string') throw badRequest('Either subnet_id or port_id must be specified');
  return id;
};

/** A port of the router at the subnet's gateway address, as Neutron makes it. */
function addInterface({ state, neutron }: Parts, call: Call, router: Router): JsonObject {
  const subnet = state.subnets.get(subnetIn(call));
  if (subnet === undefined) throw notFound('Subnet', subnetIn(call));
  if (subnet.gatewayIp === null) throw badRequest('Subnet for router interface must have a gateway IP');
  const taken = interfaces(state, router).some(({ fixedIps }) => fixedIps.some((ip) => ip.subnet_id === subnet.id));
  if (taken) throw badRequest(`Router already has a port on subnet ${subnet.id}`);
  const port = neutron.createPort({
    projectId: projectOf(call),
    networkId: subnet.networkId,
    fixedIps: [{ subnetId: subnet.id, address: subnet.gatewayIp }],
    deviceId: router.id,
    deviceOwner: INTERFACE,
    securityGroups: [],
    portSecurity: false,
  });
  return interfaceView(router, port.id, port.networkId, subnet.id);
}

function removeInterface({ state }: Parts, call: Call, router: Router): JsonObject {
  const subnetId = subnetIn(call);
  const port = interfaces(state, router).find(({ fixedIps }) => fixedIps.some((ip) => ip.subnet_id === subnetId));
  if (port === undefined)
    throw neutronError(404, 'RouterInterfaceNotFoundForSubnet', `Router ${router.id} has no interface on subnet ${subnetId}`);
  state.ports.delete(port.id);
  return interfaceView(router, port.id, port.networkId, subnetId);
}

const interfaces = (state: CloudState, router: Router) =>
  [...state.ports.values()].filter((port) => port.deviceId === router.id && port.deviceOwner === INTERFACE);

const interfaceView = (router: Router, portId: string, networkId: string, subnetId: string): JsonObject => ({
  id: router.id,
  tenant_id: router.projectId,
  port_id: portId,
  network_id: networkId,
  subnet_id: subnetId,
  subnet_ids: [subnetId],
});

function gatewayOf(neutron: Neutron, call: Call, asked: unknown): Router['gateway'] {
  if (asked === null || (isJsonObject(asked) && Object.keys(asked).length === 0)) return null;
  if (!isJsonObject(asked)) throw badRequest(`Invalid input for external_gateway_info.`);
  const network = neutron.network(projectOf(call), pythonStr(asked.network_id ?? null));
  if (!network.external) throw badRequest(`Bad router request: Network ${network.id} is not an external network.`);
  const [address] = neutron.allocate(network, undefined);
  if (address === undefined) throw badRequest(`Network ${network.id} has no addresses`);
  return { networkId: network.id, address };
}

const routerView = (router: Router): JsonObject => ({
  id: router.id,
  name: router.name,
  tenant_id: router.projectId,
  admin_state_up: router.adminStateUp,
  status: 'ACTIVE',
  external_gateway_info:
    router.gateway === null
      ? null
      : { network_id: router.gateway.networkId, external_fixed_ips: [{ ...router.gateway.address }], enable_snat: true },
  description: '',
  availability_zones: [],
  distributed: false,
  ha: false,
  ha_vr_id: 0,
  availability_zone_hints: [],
  routes: [],
  flavor_id: null,
  tags: [],
  created_at: router.createdAt,
  updated_at: router.updatedAt,
  revision_number: 1,
  project_id: router.projectId,
});
