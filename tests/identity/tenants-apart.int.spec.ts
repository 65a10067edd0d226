import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import { noNeeds } from '@windlass/openstack';
import { routesOf, type Route } from '@windlass/lcm-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instantiate, inState, startReplica, type Replica } from '../observability/support/replicas.js';
import { onboard, registerVim, startSystem, type System } from '../support/system.js';
import { heardOf, pathOf } from './support/routes.js';

let system: System;
/** An admin of the other project. */
let other: Replica;
/** Ids of everything that the first project has. */
const ids = new Map<string, string>();
let vnfdId: string;

/** A body that would do, by the last part of the resource; for those that are not here an empty one. */
const BODIES: Readonly<Record<string, JsonObject>> = {
  instantiate: { flavourId: 'simple' },
  scale: { type: 'SCALE_OUT', aspectId: 'group' },
  scale_to_level: { scaleInfo: [{ aspectId: 'group', scaleLevel: 1 }] },
  heal: {},
  terminate: { terminationType: 'FORCEFUL' },
  operate: { changeStateTo: 'STOPPED' },
  change_ext_conn: { extVirtualLinks: [{ id: 'a', resourceId: 'b', extCps: [] }] },
  cancel: { cancelMode: 'GRACEFUL' },
  'PATCH /vnflcm/v1/vnf_instances/:id': { vnfInstanceName: 'mine' },
  'PATCH /vnfpkgm/v1/vnf_packages/:id': { userDefinedData: { a: 1 } },
  'PUT /v1.0/vims/:id': { vim: { description: 'mine' } },
  check: noNeeds() as unknown as JsonObject,
  certificates: { task: 'look' },
  snapshots: { task: 'take' },
  upload_from_uri: { addressInformation: 'https://packages.example/a.zip' },
};

const bodyOf = ({ method, pattern }: Route): JsonObject | Buffer | undefined => {
  if (method === 'GET' || method === 'DELETE') return undefined;
  if (pattern.endsWith('/package_content')) return Buffer.from('PK');
  return BODIES[`${method} ${pattern}`] ?? BODIES[pattern.split('/').at(-1) ?? ''] ?? {};
};

/** What belongs to the deployment and to no project: it is refused as a whole to admins of other projects. */
const OF_THE_DEPLOYMENT = /^\/windlass\/v1\/(drivers|enrolment_tokens|enrolled_keys|restoration|audit_trail\/)/;

beforeAll(async () => {
  system = await startSystem();
  ids.set('VIM', await registerVim(system));
  const pkg = await onboard(system.api, 'simple-vm');
  vnfdId = String(pkg.vnfdId);
  ids.set('package', String(pkg.id)).set('VNFD', vnfdId);
  const { instance, operationId } = await instantiate(system.api, vnfdId);
  await inState(system.api, operationId, 'COMPLETED');
  ids.set('instance', instance).set('operation', operationId);
  const audit = await system.api.post<unknown>('/windlass/v1/audits', {});
  ids.set('audit', String(audit.headers.location).split('/').at(-1) ?? '');
  const server = randomUUID();
  await system.database.query(
    `INSERT INTO lcm.host_key (resource_id, tenant, vnf_instance_id, key, pinned_at) VALUES ($1, 'default', $2, 'ssh-ed25519 AAAA', now())`,
    [server, instance],
  );
  ids.set('host key', server);
  other = await startReplica(system, { tenant: 'other', user: 'mallory', roles: ['admin'] });
});
afterAll(async () => {
  await other.stop();
  await system.close();
});

/** All that the first project sees of what it has. */
async function mine(): Promise<unknown[]> {
  const paths = [
    `/v1.0/vims/${ids.get('VIM') ?? ''}`,
    `/vnfpkgm/v1/vnf_packages/${ids.get('package') ?? ''}`,
    `/vnflcm/v1/vnf_instances/${ids.get('instance') ?? ''}`,
    `/vnflcm/v1/vnf_lcm_op_occs/${ids.get('operation') ?? ''}`,
    '/windlass/v1/host_keys',
  ];
  return Promise.all(paths.map(async (path) => (await system.api.get<unknown>(path)).data));
}

describe('a project that tries every id of another on every route', () => {
  it('sees none of them in any list', async () => {
    const shown: string[] = [];
    const lists = routesOf().all.filter(({ method, pattern }) => method === 'GET' && !/[:*]|events$/.test(pattern));
    for (const { pattern } of lists) {
      const { status, body } = await heardOf(other, 'GET', pattern);
      if (status >= 500) shown.push(`${pattern}: ${status}`);
      for (const [kind, id] of ids) if (body.includes(id)) shown.push(`${pattern} shows the ${kind}`);
    }
    expect(shown).toEqual([]);
  });

  it('finds nothing, each time, as with ids that nobody has; and changes nothing', async () => {
    const before = await mine();
    const wrong: string[] = [];
    let tried = 0;
    for (const route of routesOf().all.filter(({ pattern }) => /[:*]/.test(pattern))) {
      const body = bodyOf(route);
      const nobodys = await heardOf(other, route.method, pathOf(route), body);
      for (const [kind, id] of ids) {
        const { status, code } = await heardOf(other, route.method, pathOf(route, id), body);
        tried++;
        const expected = OF_THE_DEPLOYMENT.test(route.pattern) ? 403 : 404;
        if (status !== expected || status !== nobodys.status || code !== nobodys.code)
          wrong.push(
            `${route.method} ${route.pattern} of ${kind}: ${status} ${code ?? ''}, of nobody ${nobodys.status} ${nobodys.code ?? ''}`,
          );
      }
    }
    expect(wrong).toEqual([]);
    expect(tried).toBeGreaterThan(200);
    expect(await mine()).toEqual(before);
  });

  it('can name none of them in what it asks for', async () => {
    const created = (of: string) => heardOf(other, 'POST', '/vnflcm/v1/vnf_instances', { vnfdId: of });
    const [refused, unknown] = [await created(vnfdId), await created(randomUUID())];
    expect([refused.status, refused.code]).toEqual([unknown.status, unknown.code]);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    const own = await onboard(other.api, 'simple-vm'); // the same VNFD, of a project of its own
    expect(own.vnfdId).toBe(vnfdId);
    const { data } = await other.api.post<{ id: string }>('/vnflcm/v1/vnf_instances', { vnfdId });
    const asked = {
      flavourId: 'simple',
      vimConnectionInfo: [{ id: 'theirs', vimType: 'openstack', vimId: ids.get('VIM') ?? '' }],
    };
    const taken = await heardOf(other, 'POST', `/vnflcm/v1/vnf_instances/${data.id}/instantiate`, asked);
    const nobodys = { ...asked, vimConnectionInfo: [{ ...asked.vimConnectionInfo[0], vimId: randomUUID() }] };
    const none = await heardOf(
      other,
      'POST',
      `/vnflcm/v1/vnf_instances/${data.id}/instantiate`,
      nobodys as unknown as JsonObject,
    );
    expect([taken.status, taken.code]).toEqual([none.status, none.code]);
    expect(taken.status).toBeGreaterThanOrEqual(400);
    // Neither has it a default VIM by now.
    const standard = await heardOf(other, 'POST', `/vnflcm/v1/vnf_instances/${data.id}/instantiate`, { flavourId: 'simple' });
    expect(standard.status).toBeGreaterThanOrEqual(400);
  });
});
