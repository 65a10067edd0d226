import pg from 'pg';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startSystem, type System } from '../support/system.js';

/** Seconds that are watched, after as many in which what the start began comes to its end. */
const WATCHED = 6;

/** What was asked of PostgreSQL: a text, or the name of a statement. */
const asked: string[] = [];

let system: System;
beforeAll(async () => {
  // Before the pools make their connections.
  const { query } = pg.Client.prototype as { query: (...given: unknown[]) => unknown };
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: unknown, ...given: unknown[]) {
    const sent = given[0] as string | { name?: string; text: string };
    asked.push(typeof sent === 'string' ? sent : (sent.name ?? sent.text));
    return query.apply(this, given) as never;
  } as never);
  system = await startSystem();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await system.close();
});

it('services that are left alone ask PostgreSQL little, and a coordinator looks for all that it sweeps at once', async () => {
  await pause(WATCHED * 1_000);
  asked.splice(0);
  await pause(WATCHED * 1_000);
  const seen = [...asked];
  const times = (what: string): number => seen.filter((statement) => statement.includes(what)).length;
  // Twice a second each: steps and operations, and internal operations. They are spread by a quarter.
  const looks = [times('clock_timestamp() AS now'), times('windlass internal operations to be moved')];
  expect(Math.min(...looks)).toBeGreaterThan(0);
  expect(Math.max(...looks)).toBeLessThanOrEqual(3 * WATCHED);
  // Of these two, the relay's three statements a second, and what is asked each two seconds and more seldom.
  expect(seen.length, seen.map((statement) => statement.slice(0, 60)).join('\n')).toBeLessThanOrEqual(11 * WATCHED);
});
