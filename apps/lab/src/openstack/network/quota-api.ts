import type { JsonObject } from '@windlass/foundation';
import { ok, sessionOf, type Call } from '../http/answer.js';
import type { Router } from '../http/router.js';
import type { CloudState } from '../state/state.js';
import { bodyOf, projectOf } from './neutron-calls.js';
import { badRequest, neutronError } from './neutron-errors.js';

/** Neutron's own defaults, but for what the real small OpenStack leaves without limit. */
const DEFAULTS: Readonly<Record<string, number>> = {
  network: -1,
  subnet: -1,
  subnetpool: -1,
  port: -1,
  router: 10,
  floatingip: -1,
  rbac_policy: 10,
  security_group: 10,
  security_group_rule: 100,
};

/** What a project may have of each, and what it has. */
export function quotaRoutes(router: Router, state: CloudState): void {
  router
    .on('GET', '/v2.0/quotas/:project', (call) => ok({ quota: { ...limitsOf(state, ownOrAdmin(call)) } }))
    .on('GET', '/v2.0/quotas/:project/details', (call) => ok({ quota: details(state, ownOrAdmin(call)) }))
    .on('PUT', '/v2.0/quotas/:project', (call) => {
      if (!sessionOf(call).isAdmin) throw adminOnly();
      const fields = bodyOf(call, 'quota', [...Object.keys(DEFAULTS), 'tenant_id', 'project_id']);
      const project = call.params.project ?? '';
      const changed = Object.keys(DEFAULTS).flatMap((name) => {
        const limit = fields.whole(name);
        if (limit === undefined) return [];
        if (limit < -1) throw badRequest(`Invalid input for ${name}. Reason: '${limit}' must be a non negative integer or -1.`);
        return [[name, limit] as const];
      });
      state.quotas.set(key(project), { ...state.quotas.get(key(project)), ...Object.fromEntries(changed) });
      return ok({ quota: { ...limitsOf(state, project) } });
    })
    .on('DELETE', '/v2.0/quotas/:project', (call) => {
      if (!sessionOf(call).isAdmin) throw adminOnly();
      state.quotas.delete(key(call.params.project ?? ''));
      return { status: 204 };
    });
}

const key = (project: string): string => `neutron/${project}`;

const adminOnly = () => neutronError(403, 'AdminRequired', 'User does not have admin privileges: Only admin can manage quotas.');

/** Another project's quotas are an administrator's matter. */
function ownOrAdmin(call: Call): string {
  const project = call.params.project ?? '';
  const { isAdmin } = sessionOf(call);
  if (projectOf(call) !== project && !isAdmin) throw adminOnly();
  return project;
}

const limitsOf = (state: CloudState, project: string): Record<string, number> => ({
  ...DEFAULTS,
  ...state.quotas.get(key(project)),
});

function details(state: CloudState, project: string): JsonObject {
  const of = <T extends { projectId: string }>(all: Map<string, T>): T[] =>
    [...all.values()].filter((one) => one.projectId === project);
  const used: Record<string, number> = {
    network: of(state.networks).length,
    subnet: of(state.subnets).length,
    port: of(state.ports).length,
    router: of(state.routers).length,
    floatingip: of(state.floatingIps).length,
    security_group: of(state.securityGroups).length,
    security_group_rule: of(state.securityGroups).reduce((sum, group) => sum + group.rules.length, 0),
  };
  return Object.fromEntries(
    Object.entries(limitsOf(state, project)).map(([name, limit]) => [name, { limit, used: used[name] ?? 0, reserved: 0 }]),
  );
}
