import type { JsonObject } from '@windlass/foundation';
import type { AxiosResponse } from 'axios';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { atRest, createVnf, onboard, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';

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
let vnfdId: unknown;

beforeAll(async () => {
  // Before the pools make their connections.
  const { query } = pg.Client.prototype as { query: (...given: unknown[]) => unknown };
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: unknown, ...given: unknown[]) {
    note(this, given[0] as Sent);
    return query.apply(this, given) as never;
  } as never);
  system = await startSystem();
  ({ vnfdId } = await onboard(system.api, 'simple-vm'));
  await registerVim(system);
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
  // Live views are woken behind the commit, a second after the last look for them in vain at the latest.
  await expect.poll(() => all, { timeout: 20_000 }).toContain('windlass wake-up of live views');
  // The entry in the transaction is the only one: nothing is left to be written before the answer.
  expect(all.filter((statement) => statement.endsWith('audit trail entry'))).toHaveLength(1);
});

/** Statements that are put together have a name of their own for each combination. */
const named = (statements: readonly string[]): string[] =>
  statements.map((statement) => (statement.startsWith('windlass together ') ? 'windlass together' : statement));

// The plan, the claim of the first step, and three results, of which two bring the next claim. Where the image is shared, the claims of its look and of its place bring nothing else.
it.each([
  ['with its own image', false, 5],
  ['whose image is shared', true, 4],
])(
  'an instantiation %s is accepted by one write, and each of its transitions reads once and writes once',
  async (_how, shares, together) => {
    const { api } = system;
    await system.replaceCoordinator(shares);
    const url = await createVnf(api, vnfdId);
    committed.splice(0);
    all.splice(0);
    const made = await atRest(
      api,
      await api.post(`${url}/instantiate`, await sampleRequest('instantiate-simple-vm.json', 'net0')),
    );
    expect(made, JSON.stringify(made)).toMatchObject({ operationState: 'COMPLETED' });
    // What it is checked against is read at once, and no relay is woken: a coordinator is called to it over NATS.
    expect(all.filter((statement) => statement === 'windlass instance with VIMs')).toHaveLength(1);
    expect(all).not.toContain('windlass wake-up of listeners');
    // Who looks at the VIM's networks reads its row once, as claims do: by a statement that is planned once a connection.
    expect(all.filter((statement) => statement.includes('FROM "lcm"."vim"') || statement.includes('"VimEntity"'))).toEqual([]);
    const acceptances = committed.filter((statements) => statements.includes('windlass instance held')).map(named);
    expect(acceptances).toEqual([
      [
        'START TRANSACTION',
        'windlass instance held',
        'windlass clean-up of an instance',
        'windlass subscribers',
        'windlass together',
        'COMMIT',
      ],
    ]);
    const moves = committed.filter((statements) => /^windlass operations? lock/.test(statements[1] ?? '')).map(named);
    // What else came, a renewal or a look of the sweep, wrote less.
    expect(moves.filter((statements) => statements.includes('windlass together')).length).toBeGreaterThanOrEqual(together);
    // The first instance looks for the image on the record, enters it and refers to it. What a coordinator sweeps when it starts is in none of the moves.
    const ofImages = moves.flat().filter((statement) => /shared_image|image_reference/.test(statement));
    expect(ofImages.length, ofImages.join('\n')).toBe(shares ? 3 : 0);
    for (const move of moves) {
      expect(move.filter((statement, at) => move.indexOf(statement) !== at && statement !== 'windlass payload read')).toEqual([]);
      const writes = move.filter((statement) => / (together|update|insert|write|drop)( |$)/.test(statement));
      expect(writes.filter((statement) => statement !== 'windlass instance update').length, move.join('; ')).toBeLessThanOrEqual(
        1,
      );
    }
    // What is written at the end breaks the instance's lock there, as it did where it stood.
    const terminate = (): Promise<AxiosResponse<JsonObject>> => api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' });
    const answers = await Promise.all([terminate(), terminate(), terminate()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.data).toMatchObject({ code: 'vnf-instance.busy' });
    for (const answer of answers.filter(({ status }) => status === 202)) await atRest(api, answer);
  },
);
