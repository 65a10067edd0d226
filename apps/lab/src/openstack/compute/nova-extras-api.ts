import type { JsonObject } from '@windlass/foundation';
import { bodyMember, ok, sessionOf, type Answer, type Call } from '../http/answer.js';
import { Fields } from '../http/json-fields.js';
import { naiveMicros, uuid } from '../state/ids.js';
import { pythonRepr, pythonStr } from '../http/python-json.js';
import type { CloudState, Flavor, KeyPair } from '../state/state.js';
import { projectOf, type NovaApiParts, type VersionedRouter } from './nova-api-parts.js';
import { computeError, invalidField, policyForbids } from '../http/nova-errors.js';
import { flavorSummary, flavorView, groupView, keyPairDetail, keyPairView, zonesView } from './nova-views.js';
import { quotaRoutes } from './nova-quotas.js';
import { createGroup, createKeyPair } from './nova-records.js';
import { ZONE } from './nova.js';

/** Flavors, zones, server groups, key pairs, limits, and what administrators see of the hosts. */
export function extraRoutes(router: VersionedRouter, parts: NovaApiParts): void {
  flavorRoutes(router, parts);
  groupRoutes(router, parts.state);
  keyPairRoutes(router, parts.state);
  router.on('GET', '/os-availability-zone', () => ok({ availabilityZoneInfo: zonesView(parts.hosts, ZONE, false) }));
  router.on('GET', '/os-availability-zone/detail', (call) => {
    if (!sessionOf(call).isAdmin && !parts.showHost) throw policyForbids('os_compute_api:os-availability-zone:detail');
    return ok({ availabilityZoneInfo: zonesView(parts.hosts, ZONE, true) });
  });
  quotaRoutes(router, parts);
  router.on('GET', '/os-services', (call) => {
    if (!sessionOf(call).isAdmin) throw policyForbids('os_compute_api:os-services:list');
    return ok({ services: parts.hosts.map(service) });
  });
}

const service = (host: string, index: number): JsonObject => ({
  binary: 'nova-compute',
  host,
  id: index + 1,
  zone: ZONE,
  status: 'enabled',
  state: 'up',
  updated_at: naiveMicros(),
  disabled_reason: null,
});

function flavorRoutes(router: VersionedRouter, { state, nova }: NovaApiParts): void {
  const all = (): Flavor[] => [...state.flavors.values()];
  const one = (call: Call): Flavor => {
    const found = state.flavors.get(call.params.id ?? '');
    if (found === undefined) throw computeError(404, `Flavor ${call.params.id} could not be found.`);
    return found;
  };
  router.on('GET', '/flavors', ({ base }) => ok({ flavors: all().map((flavor) => flavorSummary(base, flavor)) }));
  router.on('GET', '/flavors/detail', ({ base }) => ok({ flavors: all().map((flavor) => flavorView(base, flavor)) }));
  router.on('GET', '/flavors/:id', (call) => ok({ flavor: flavorView(call.base, one(call)) }));
  router.on('GET', '/flavors/:id/os-extra_specs', (call) => ok({ extra_specs: one(call).extraSpecs }));
  router.on('POST', '/flavors', (call) => {
    if (!sessionOf(call).isAdmin) throw policyForbids('os_compute_api:os-flavor-manage:create');
    const flavor = flavorOf(call);
    if (nova.flavor(flavor.name) !== undefined) throw computeError(409, `Flavor with name ${flavor.name} already exists.`);
    state.flavors.set(flavor.id, flavor);
    return ok({ flavor: flavorView(call.base, flavor) });
  });
  router.on('DELETE', '/flavors/:id', (call) => {
    if (!sessionOf(call).isAdmin) throw policyForbids('os_compute_api:os-flavor-manage:delete');
    state.flavors.delete(one(call).id);
    return { status: 202 };
  });
}

function flavorOf(call: Call): Flavor {
  const body = bodyMember(call, 'flavor');
  if (body === undefined) throw invalidField('flavor', pythonRepr(call.json), "'flavor' is a required property");
  const fields = new Fields(body, (field, value, expected) =>
    invalidField(field, pythonStr(value), `${pythonRepr(value)} is not of type '${expected}'`),
  );
  for (const name of ['name', 'ram', 'vcpus', 'disk']) {
    if (!fields.has(name)) throw invalidField('flavor', pythonRepr(body), `'${name}' is a required property`);
  }
  return {
    id: fields.text('id') ?? uuid(),
    name: fields.text('name') ?? '',
    ram: fields.whole('ram') ?? 0,
    vcpus: fields.whole('vcpus') ?? 0,
    disk: fields.whole('disk') ?? 0,
    ephemeral: 0,
    swap: fields.whole('swap') ?? 0,
    isPublic: fields.flag('os-flavor-access:is_public') ?? true,
    extraSpecs: {},
  };
}

function groupRoutes(router: VersionedRouter, state: CloudState): void {
  const own = (call: Call) => [...state.serverGroups.values()].filter((group) => group.projectId === projectOf(call));
  const one = (call: Call) => {
    const found = own(call).find((group) => group.id === call.params.id);
    if (found === undefined) throw computeError(404, `Instance group ${call.params.id} could not be found.`);
    return found;
  };
  router.on('GET', '/os-server-groups', (call) => ok({ server_groups: own(call).map((group) => groupView(state, group)) }));
  router.on('GET', '/os-server-groups/:id', (call) => ok({ server_group: groupView(state, one(call)) }));
  router.on('POST', '/os-server-groups', (call): Answer => {
    const body = bodyMember(call, 'server_group') ?? {};
    const policies = body.policies;
    const policy = Array.isArray(policies) ? policies[0] : body.policy;
    const owner = { projectId: projectOf(call), userId: sessionOf(call).user.id };
    if (typeof body.name !== 'string') throw invalidField('server_group', pythonRepr(body), "'name' is a required property");
    const id = createGroup(state, owner, body.name, typeof policy === 'string' ? policy : pythonStr(policy));
    const made = state.serverGroups.get(id);
    return ok({ server_group: made === undefined ? null : groupView(state, made) });
  });
  router.on('DELETE', '/os-server-groups/:id', (call) => {
    state.serverGroups.delete(one(call).id);
    return { status: 204 };
  });
}

function keyPairRoutes(router: VersionedRouter, state: CloudState): void {
  const one = (call: Call): KeyPair => {
    const userId = sessionOf(call).user.id;
    const found = state.keyPairs.get(`${userId}/${call.params.name}`);
    if (found === undefined) throw computeError(404, `Keypair ${call.params.name} not found for user ${userId}`);
    return found;
  };
  router.on('GET', '/os-keypairs', (call) => {
    const own = [...state.keyPairs.values()].filter((pair) => pair.userId === sessionOf(call).user.id);
    return ok({ keypairs: own.map((pair) => ({ keypair: keyPairView(pair) })) });
  });
  router.on('GET', '/os-keypairs/:name', (call) => ok({ keypair: keyPairDetail(one(call)) }));
  router.on('POST', '/os-keypairs', (call) => {
    const body = bodyMember(call, 'keypair') ?? {};
    const [name, key] = [body.name, body.public_key];
    if (typeof name !== 'string') throw invalidField('keypair', pythonRepr(body), "'name' is a required property");
    if (typeof key !== 'string') throw invalidField('keypair', pythonRepr(body), "'public_key' is a required property");
    const pair = createKeyPair(state, sessionOf(call).user.id, name, key);
    return ok({ keypair: { ...keyPairView(pair), user_id: pair.userId } });
  });
  router.on('DELETE', '/os-keypairs/:name', (call) => {
    state.keyPairs.delete(one(call).id);
    return { status: 202 };
  });
}
