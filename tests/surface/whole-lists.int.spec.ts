import { PAGE_SIZE } from '@windlass/sol003';
import { request } from 'node:http';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { onboard, startSystem, type System } from '../support/system.js';

/** More than two pages. */
const COUNT = 2 * PAGE_SIZE + 7;
const INSTANCES = '/vnflcm/v1/vnf_instances';

let system: System;
const ids: string[] = [];

beforeAll(async () => {
  system = await startSystem();
  const { vnfdId } = await onboard(system.api, 'simple-vm');
  for (let n = 0; n < COUNT; n += 1)
    ids.push((await system.api.post<{ id: string }>(INSTANCES, { vnfdId, vnfInstanceName: `n${n % 2}` })).data.id);
  ids.sort();
});
afterAll(() => system.close());

type Answer = Promise<{ rows: unknown[] }>;

/** Stands between lcm-api and PostgreSQL for the lists of instances. */
function between(act: (ask: () => Answer) => Answer): void {
  const { master } = system.database.driver as unknown as { master: Pool };
  const query = master.query.bind(master) as (statement: unknown) => Answer;
  Object.assign(master, {
    query: (statement: { text?: string }) =>
      statement.text?.includes('FROM lcm.vnf_instance') === true ? act(() => query(statement)) : query(statement),
  });
  onTestFinished(() => void Object.assign(master, { query }));
}

const away = (): Answer => Promise.reject(new Error('Connection terminated unexpectedly'));

it('are one array of everything, read page after page', async () => {
  const rows: number[] = [];
  between(async (ask) => {
    const answer = await ask();
    rows.push(answer.rows.length);
    return answer;
  });
  const { status, data, headers } = await system.api.get<{ id: string }[]>(`${INSTANCES}?all_records=yes`);
  expect([status, headers.link]).toEqual([200, undefined]);
  expect(headers['content-type']).toMatch(/^application\/json/);
  expect(data.map(({ id }) => id)).toEqual(ids);
  expect(rows).toEqual([PAGE_SIZE, PAGE_SIZE, 7]);
});

it('are filtered and selected as pages are, and empty where nothing matches', async () => {
  const half = await system.api.get<object[]>(`${INSTANCES}?all_records=yes&filter=(eq,vnfInstanceName,n1)&fields=id`);
  expect(half.data).toHaveLength(Math.floor(COUNT / 2));
  const none = await system.api.get<object[]>(`${INSTANCES}?all_records=yes&filter=(eq,vnfInstanceName,none)`);
  expect(none.data).toEqual([]);
});

it('end broken off, not as if they were whole, where the database goes away in their middle', async () => {
  let asked = 0;
  between((ask) => {
    asked += 1;
    return asked < 3 ? ask() : away();
  });
  const ended = await new Promise<unknown>((resolve, reject) => {
    const url = `${system.api.defaults.baseURL ?? ''}${INSTANCES}?all_records=yes`;
    request(url, { headers: { 'X-Auth-Token': 'test-token' } }, (response) => {
      response.resume();
      response.once('end', () => resolve('whole')).once('error', ({ message }) => resolve(message));
    })
      .once('error', reject)
      .end();
  });
  expect(ended).toBe('aborted');
});

it('are refused as anywhere where the database is away from the beginning', async () => {
  between(away);
  const { status } = await system.api.get(`${INSTANCES}?all_records=yes`);
  expect(status).toBe(503);
});

it('filtered by what no name can hold are empty or refused, as any other filter', async () => {
  for (const [value, expected] of [
    ['a%00b', 400],
    ['%27%27%27%3B--%27', 200],
    ['x'.repeat(4_000), 200],
  ] as const) {
    const { status, data } = await system.api.get<unknown>(`${INSTANCES}?filter=(eq,vnfInstanceName,${value})`);
    expect([value.slice(0, 10), status]).toEqual([value.slice(0, 10), expected]);
    if (status === 200) expect(data).toEqual([]);
  }
});
