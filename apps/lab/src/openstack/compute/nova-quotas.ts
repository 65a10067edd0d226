import type { JsonObject } from '@windlass/foundation';
import { bodyMember, ok, sessionOf, type Call } from '../http/answer.js';
import { pythonRepr } from '../http/python-json.js';
import type { CloudState } from '../state/state.js';
import { projectOf, type NovaApiParts, type VersionedRouter } from './nova-api-parts.js';
import { invalidField, policyForbids } from '../http/nova-errors.js';

/** Without limit, as the real small OpenStack has them. */
const DEFAULTS: Readonly<Record<string, number>> = {
  instances: -1,
  cores: -1,
  ram: -1,
  server_groups: -1,
  server_group_members: -1,
  key_pairs: 100,
  metadata_items: 128,
};

/** Quotas as `/limits` tells them to a project, and as administrators set them. */
export function quotaRoutes(router: VersionedRouter, parts: NovaApiParts): void {
  const { state } = parts;
  const shown = (project: string): JsonObject => ({ quota_set: { id: project, ...quotasOf(state, project) } });
  router.on('GET', '/limits', (call) => ok({ limits: { rate: [], absolute: limits(parts, projectOf(call)) } }));
  router.on('GET', '/os-quota-sets/:project', (call) => ok(shown(ownOrAdmin(call))));
  router.on('PUT', '/os-quota-sets/:project', (call) => {
    if (!sessionOf(call).isAdmin) throw policyForbids('os_compute_api:os-quota-sets:update');
    const project = call.params.project ?? '';
    const body = bodyMember(call, 'quota_set') ?? {};
    for (const [name, value] of Object.entries(body)) {
      if (name === 'force') continue;
      if (!Object.hasOwn(DEFAULTS, name))
        throw invalidField('quota_set', pythonRepr(body), `Additional properties are not allowed ('${name}' was unexpected)`);
      if (typeof value !== 'number' || value < -1)
        throw invalidField(name, pythonRepr(value), `${pythonRepr(value)} is not valid`);
    }
    const { force: _force, ...set } = body as Record<string, number>;
    state.quotas.set(key(project), { ...state.quotas.get(key(project)), ...set });
    return ok({ quota_set: { ...quotasOf(state, project) } });
  });
  router.on('DELETE', '/os-quota-sets/:project', (call) => {
    if (!sessionOf(call).isAdmin) throw policyForbids('os_compute_api:os-quota-sets:delete');
    state.quotas.delete(key(call.params.project ?? ''));
    return { status: 202 };
  });
}

const key = (project: string): string => `nova/${project}`;

function ownOrAdmin(call: Call): string {
  const project = call.params.project ?? '';
  if (projectOf(call) !== project && !sessionOf(call).isAdmin) throw policyForbids('os_compute_api:os-quota-sets:show');
  return project;
}

const quotasOf = (state: CloudState, project: string): Record<string, number> => ({
  ...DEFAULTS,
  ...state.quotas.get(key(project)),
});

function limits({ state, nova }: NovaApiParts, projectId: string): JsonObject {
  const flavors = nova.of(projectId).flatMap((server) => state.flavors.get(server.flavorId) ?? []);
  const quotas = quotasOf(state, projectId);
  const limit = (name: string): number => quotas[name] ?? -1;
  return {
    maxTotalInstances: limit('instances'),
    maxTotalCores: limit('cores'),
    maxTotalRAMSize: limit('ram'),
    maxServerMeta: limit('metadata_items'),
    maxImageMeta: 128,
    maxPersonality: 5,
    maxPersonalitySize: 10_240,
    maxTotalKeypairs: limit('key_pairs'),
    maxServerGroups: limit('server_groups'),
    maxServerGroupMembers: limit('server_group_members'),
    maxTotalFloatingIps: -1,
    maxSecurityGroups: -1,
    maxSecurityGroupRules: -1,
    totalRAMUsed: flavors.reduce((sum, flavor) => sum + flavor.ram, 0),
    totalCoresUsed: flavors.reduce((sum, flavor) => sum + flavor.vcpus, 0),
    totalInstancesUsed: flavors.length,
    totalFloatingIpsUsed: 0,
    totalSecurityGroupsUsed: 0,
    totalServerGroupsUsed: [...state.serverGroups.values()].filter((group) => group.projectId === projectId).length,
  };
}
