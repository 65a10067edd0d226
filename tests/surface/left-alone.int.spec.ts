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
  const times = new Map<string, number>();
  for (const statement of asked.splice(0)) times.set(statement, (times.get(statement) ?? 0) + 1);
  // The third looks whether the audit trail goes on; tests have all three come five times a second.
  const looks = ['WITH ready AS (', 'windlass internal operations to be moved', "SELECT (SELECT number || ':'"];
  const isLook = (statement: string): boolean => looks.some((begin) => statement.startsWith(begin));
  expect([...times.keys()].filter(isLook)).toHaveLength(looks.length);
  // One look a round, whose pauses are a quarter shorter than 200 ms at most.
  const most = Math.max(...[...times].filter(([statement]) => isLook(statement)).map(([, count]) => count));
  expect(most).toBeLessThanOrEqual(7 * WATCHED);
  // A coordinator's sweeps come most often here. Whatever else comes is asked once or twice a second at most, the relay's BEGIN and COMMIT among it.
  const others = [...times].filter(([statement]) => !isLook(statement));
  expect(others.filter(([, count]) => count > 2 * WATCHED)).toEqual([]);
  expect(others.reduce((sum, [, count]) => sum + count, 0)).toBeLessThanOrEqual(8 * WATCHED);
});
