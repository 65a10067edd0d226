import { randomUUID } from 'node:crypto';
import axios from 'axios';
import { days, millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { ChainKeys, connectDatabase, PgAuditChain, separateTrail } from '@windlass/persistence';
import { startCoordinator } from '@windlass/saga-coordinator';
import { ApiClient, checkTrail, reportText, type CheckReport } from '@windlass/windlass';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quiet, startSystem, type System } from '../support/system.js';
import { startReplica, type Replica } from './support/replicas.js';

let system: System;
let anna: Replica;
let behindProxies: Replica;
let superuser: DataSource;

beforeAll(async () => {
  system = await startSystem();
  superuser = await connectDatabase({ url: system.servers.postgres.adminUrl, applicationName: 'superuser', poolSize: 1 });
  await oldEntry();
  anna = await startReplica(system, { user: 'anna' });
  behindProxies = await startReplica(system, {
    user: 'behind',
    more: { proxies: { addresses: ['127.0.0.1', '10.0.0.0/8'], header: 'x-forwarded-for' } },
  });
});

afterAll(async () => {
  await superuser.destroy();
  await Promise.all([anna.stop(), behindProxies.stop()]);
  await system.close();
});

/** As `./windlass audit-trail check` does it. */
const check = (since?: string): Promise<CheckReport> => checkTrail(new ApiClient(anna.url, anna.token), since, () => undefined);

/** Something that leaves an entry, which a coordinator has chained when this returns. */
async function chained(): Promise<void> {
  await anna.api.delete(`/vnflcm/v1/vnf_instances/${randomUUID()}`);
  await waitUntil(
    async (seen) => {
      const { end } = await check();
      seen(JSON.stringify(end));
      return end?.waiting === 0 ? true : undefined;
    },
    { for: 'the audit trail to be chained', within: seconds(30), every: seconds(0.05) },
  );
}

/** An entry of long ago, and its link: made by a coordinator whose clock goes behind. */
async function oldEntry(): Promise<void> {
  const behind = await connectDatabase({ url: system.servers.postgres.url, applicationName: 'behind', poolSize: 1 });
  // The system's own coordinator chains nothing meanwhile: one connection has the lock for all of this.
  await behind.query(`SELECT pg_advisory_lock(hashtextextended('windlass audit trail chain', 0))`);
  await behind.query(
    `INSERT INTO lcm.audit_trail (kind, actor, at) VALUES ('request', 'long ago', clock_timestamp() - interval '500 days')`,
  );
  const chain = new PgAuditChain(behind, new ChainKeys(system.masterKeys), undefined, () => Date.now() - days(500));
  expect(await chain.append()).toMatchObject({ entries: 1 });
  await behind.destroy();
}

describe('the audit trail of a system that runs', () => {
  it('is purged by a coordinator of what is older than it is kept, and holds together afterwards', async () => {
    const chainer = await startCoordinator({
      link: system.link,
      database: system.database,
      databaseUrl: system.servers.postgres.url,
      masterKeys: system.masterKeys,
      policy: system.policy,
      replica: 'c2',
      log: quiet,
      user: system.servers.nats.user,
      purgeEvery: millis(100),
    });
    try {
      await waitUntil(
        async () => {
          const left: unknown[] = await system.database.query(`SELECT FROM lcm.audit_trail WHERE actor = 'long ago'`);
          return left.length === 0 ? true : undefined;
        },
        { for: 'the old entry to be purged', within: seconds(30), every: seconds(0.05) },
      );
    } finally {
      await chainer.stop();
    }
    const purges = (await anna.api.get<JsonObject[]>('/windlass/v1/audit_trail')).data.filter(({ kind }) => kind === 'purge');
    expect(purges).toMatchObject([{ detail: { removed: 1, throughLink: 1 } }]);
    expect(await check()).toMatchObject({ findings: [], purgedThrough: 1 });
  });

  it('is chained by its coordinator, and its check says that it is as it was written, and who could change it', async () => {
    await chained();
    const report = await check();
    expect(report).toMatchObject({ findings: [], end: { waiting: 0, separation: { separated: false } } });
    expect(reportText(report)).toMatch(
      /The purge is not separated: services connect as windlass[^]*\nThe audit trail is as it was written/,
    );
    const { head } = (await anna.api.get<{ head: string }>('/windlass/v1/audit_trail/head')).data;
    expect(report.end?.head).toBe(head);
    await chained();
    expect(await check(head)).toMatchObject({ findings: [] });
  });

  it('goes on when it is handed to its keeper under services that run, and nothing that they do is missing then', async () => {
    await separateTrail({ services: system.servers.postgres.url, admin: system.servers.postgres.adminUrl });
    await chained();
    expect(await check()).toMatchObject({ findings: [], end: { separation: { separated: true, reason: null } } });
    await expect(system.database.query('DELETE FROM lcm.audit_trail')).rejects.toThrow('permission denied');
  });

  it('is found changed when somebody with the database, but without the master key, changes who asked', async () => {
    await chained();
    const [first] = (await anna.api.get<JsonObject[]>('/windlass/v1/audit_trail')).data;
    await superuser.transaction(async (manager) => {
      await manager.query('SET LOCAL session_replication_role = replica');
      await manager.query(`UPDATE lcm.audit_trail SET actor = 'bert' WHERE id = $1`, [first?.id]);
    });
    const report = await check();
    expect(report.findings).toMatchObject([{ kind: 'entry-changed', entries: [first?.id] }]);
    expect(reportText(report)).toContain(`THE AUDIT TRAIL IS NOT AS IT WAS WRITTEN`);
    expect(await check(`${(report.end?.head ?? '').split(':')[0]}:${'0'.repeat(64)}`)).toMatchObject({
      findings: [{ kind: 'head-differs' }],
    });
  });

  it('is checked by the operator’s admins alone, and by well-formed questions', async () => {
    const reader = await startReplica(system, { user: 'reader', roles: ['reader'] });
    const stranger = await startReplica(system, { user: 'stranger', tenant: 'other' });
    for (const path of ['check', 'head'])
      for (const { api } of [reader, stranger]) expect((await api.get(`/windlass/v1/audit_trail/${path}`)).status).toBe(403);
    for (const query of ['after=x', 'head=1', `head=0:${'0'.repeat(64)}`, 'after=1&after=2'])
      expect((await anna.api.get(`/windlass/v1/audit_trail/check?${query}`)).status).toBe(400);
    await Promise.all([reader.stop(), stranger.stop()]);
  });
});

describe('where a request came from', () => {
  const told = async (replica: Replica, headers: Record<string, string>): Promise<unknown> => {
    const { headers: answered } = await axios.delete(`${replica.url}/vnflcm/v1/vnf_instances/${randomUUID()}`, {
      headers: { 'X-Auth-Token': replica.token, ...headers },
      validateStatus: () => true,
      proxy: false,
    });
    const entries = (await anna.api.get<JsonObject[]>('/windlass/v1/audit_trail')).data;
    return entries.find(({ requestId }) => requestId === answered['x-request-id'])?.remoteAddress;
  };

  it('is the client behind proxies that are trusted, and what it says itself is not believed', async () => {
    expect(await told(behindProxies, { 'X-Forwarded-For': '6.6.6.6, 203.0.113.5, 10.0.0.9' })).toBe('203.0.113.5');
    expect(await told(behindProxies, { Forwarded: 'for=6.6.6.6' })).toBe('127.0.0.1');
  });

  it('is the peer where none is', async () => {
    expect(await told(anna, { 'X-Forwarded-For': '6.6.6.6', Forwarded: 'for=6.6.6.6' })).toBe('127.0.0.1');
  });
});
