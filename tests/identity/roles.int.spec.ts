import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { routesOf } from '@windlass/lcm-api';
import { ROLES, type Role } from '@windlass/service-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReplica, type Replica } from '../observability/support/replicas.js';
import { startSystem, type System } from '../support/system.js';
import { heardOf, pathOf } from './support/routes.js';

const PAGE = join(import.meta.dirname, '../../docs/contracts/routes-and-roles.md');

/** The page of routes and roles: what each role may use is said by the routes' own decorators. */
function page(): string {
  const rows = routesOf().all.map(({ method, pattern, role, summary }) => {
    const may = ROLES.map((each) => (role === 'anyone' || ROLES.indexOf(each) >= ROLES.indexOf(role) ? 'yes' : '403'));
    return `| ${method} | \`${pattern}\` | ${summary} | ${may.join(' | ')} |`;
  });
  return `# Routes and roles

Who may use what, in their own project; what is another project's is 404 for everybody ([guide](../guides/identity.md)). Drivers, enrolment, the restoration and the check of the audit trail belong to the deployment: they are for admins of the
operator's project (\`LCM_PROJECT\`), others get 403. Written from the routes by \`UPDATE_ROLES=1 npx vitest run --project int tests/identity/roles\`, which also has every role try every route.

| method | resource | | ${ROLES.join(' | ')} |
|---|---|---|${ROLES.map(() => '---|').join('')}
${rows.join('\n')}
`;
}

describe('the table of routes and roles', () => {
  it('is what the routes say', () => {
    if (process.env.UPDATE_ROLES === '1') writeFileSync(PAGE, page());
    expect(readFileSync(PAGE, 'utf8')).toBe(page());
  });

  it('lets readers read alone, and operators change nothing of the deployment', () => {
    const { all } = routesOf();
    expect(all.filter(({ method, role }) => method !== 'GET' && (role === 'reader' || role === 'anyone'))).toEqual([]);
    // A snapshot of a cluster is all of its keys and Secrets.
    const kept =
      /^\/windlass\/v1\/(audit_trail|audits|clean_ups|restoration|enrol|drivers|host_keys)|\/snapshots\/:snapshotId\/archive$/;
    expect(all.filter(({ pattern, role }) => kept.test(pattern) !== (role === 'admin')).map(({ pattern }) => pattern)).toEqual(
      [],
    );
  });
});

describe('every role tries every route', () => {
  let system: System;
  const replicas = new Map<Role, Replica>();

  beforeAll(async () => {
    system = await startSystem();
    for (const role of ROLES) replicas.set(role, await startReplica(system, { user: role, roles: [role] }));
  });
  afterAll(async () => {
    for (const replica of replicas.values()) await replica.stop();
    await system.close();
  });

  it.each(ROLES)('%s: refused with 403 where the table says so, and nowhere else', async (role) => {
    const wrong: string[] = [];
    for (const route of routesOf().all) {
      const body = route.method === 'GET' || route.method === 'DELETE' ? undefined : {};
      const { status, code } = await heardOf(replicas.get(role)!, route.method, pathOf(route), body);
      const allowed = route.role === 'anyone' || ROLES.indexOf(role) >= ROLES.indexOf(route.role);
      const asSaid = allowed ? status !== 401 && status !== 403 && status < 500 : status === 403;
      if (!asSaid || (!allowed && code !== 'auth.role')) wrong.push(`${route.method} ${route.pattern}: ${status} ${code ?? ''}`);
    }
    expect(wrong).toEqual([]);
  });

  it('refuses before it looks at the body, and tells the trail whom', async () => {
    const reader = replicas.get('reader')!;
    const refused = await heardOf(reader, 'POST', '/vnflcm/v1/vnf_instances', Buffer.from('{{{'));
    expect([refused.status, refused.code]).toEqual([403, 'auth.role']);
    const entries = await system.database.query<object[]>(
      `SELECT actor, status, code FROM lcm.audit_trail WHERE resource = '/vnflcm/v1/vnf_instances' ORDER BY id DESC LIMIT 1`,
    );
    expect(entries).toEqual([{ actor: 'reader', status: 403, code: 'auth.role' }]);
  });
});
