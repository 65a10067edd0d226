import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { onboard, startSystem, type System } from '../support/system.js';

const INSTANCES = '/vnflcm/v1/vnf_instances';

/** A statement as `pg` is given it: a text, or a named one. */
type Sent = string | { name?: string; text: string };

/** What each connection was asked since it last began a transaction. */
const asked = new Map<unknown, string[]>();
/** Transactions that are committed. */
const committed: string[][] = [];
/** All that was asked, in transactions or not. */
const all: string[] = [];

let system: System;

beforeAll(async () => {
  // Before the pools make their connections.
  const { query } = pg.Client.prototype as { query: (...given: unknown[]) => unknown };
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: unknown, ...given: unknown[]) {
    note(this, given[0] as Sent);
    return query.apply(this, given) as never;
  } as never);
  system = await startSystem();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await system.close();
});

function note(connection: unknown, sent: Sent): void {
  const told = typeof sent === 'string' ? sent : (sent.name ?? sent.text);
  all.push(told);
  if (told === 'START TRANSACTION') asked.set(connection, []);
  asked.get(connection)?.push(told);
  if (told !== 'COMMIT') return;
  committed.push(asked.get(connection) ?? []);
  asked.delete(connection);
}

it('a create is one transaction of four statements, each planned once a connection: what it costs is known without a clock', async () => {
  const { vnfdId } = await onboard(system.api, 'simple-vm');
  // The first reads the package, which the process keeps.
  await system.api.post(INSTANCES, { vnfdId });
  committed.splice(0);
  all.splice(0);
  const { status } = await system.api.post(INSTANCES, { vnfdId });
  expect(status).toBe(201);
  const creates = committed.filter((statements) => statements.includes('windlass new instance'));
  expect(creates).toEqual([
    [
      'START TRANSACTION',
      'windlass package for an instance',
      'windlass new instance',
      'windlass subscribers',
      'windlass outbox insert with audit trail entry',
      'COMMIT',
    ],
  ]);
  // Whoever listens is woken behind the commit.
  await expect.poll(() => all).toContain('windlass wake-up of listeners');
  // The entry in the transaction is the only one: nothing is left to be written before the answer.
  expect(all.filter((statement) => statement.endsWith('audit trail entry'))).toHaveLength(1);
});
