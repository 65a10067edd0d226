import { migrations, needsRelease } from '@windlass/persistence';
import { describe, expect, it } from 'vitest';

/** The first release that others run beside began with the migration after this one. */
const LAST_WITHOUT_NEIGHBOURS = 'StepsBehindTheLock1700000000041';

/** Migrations that take away what the release before does not use any more, with the last migration of that release. */
const CONTRACTING: Readonly<Record<string, string>> = {};

/** What a service of the release before, which runs on, would fail at. */
const TAKES_AWAY: readonly [what: string, statement: RegExp][] = [
  ['drops', /\bDROP\s+(TABLE|COLUMN|VIEW|FUNCTION|SCHEMA)\b/i],
  ['renames', /\bRENAME\b/i],
  ['changes the type of a column', /\bALTER\s+(COLUMN\s+)?\S+\s+(SET\s+DATA\s+)?TYPE\b/i],
  ['demands a value that was not demanded', /\bSET\s+NOT\s+NULL\b/i],
  [
    'adds a column that demands a value without a default',
    /\bADD\s+COLUMN\b(?:(?!\bDEFAULT\b|,|;)[\s\S])*\bNOT\s+NULL\b(?!(?:(?![,;])[\s\S])*\bDEFAULT\b)/i,
  ],
];

const takesAway = (sql: string): string[] => TAKES_AWAY.filter(([, statement]) => statement.test(sql)).map(([what]) => what);

/** What a migration says to PostgreSQL. */
async function saidBy(Migration: (typeof migrations)[number]): Promise<string[]> {
  const said: string[] = [];
  const runner = { query: (sql: string) => Promise.resolve(said.push(sql) > 0 ? [] : []) };
  await new Migration().up(runner as unknown as Parameters<InstanceType<typeof Migration>['up']>[0]);
  return said;
}

const later = migrations.slice(migrations.map(({ name }) => name).indexOf(LAST_WITHOUT_NEIGHBOURS) + 1);

describe('a migration, beside which services of the release before run on', () => {
  it.each(later.map((Migration) => [Migration.name, Migration] as const))(
    '%s takes nothing away from them',
    async (name, Migration) => {
      const said = await saidBy(Migration);
      const found = said.flatMap((sql) => takesAway(sql).map((what) => `${what}: ${sql.trim()}`));
      const needed = CONTRACTING[name];
      if (needed !== undefined) {
        expect(found).not.toEqual([]);
        // A release further back reads it, and does not start.
        expect(said).toContain(needsRelease(needed));
      } else expect(found, 'docs/guides/upgrade.md#for-who-changes-the-schema says how it is done in two releases').toEqual([]);
    },
  );

  it.each([
    ['ALTER TABLE lcm.step DROP COLUMN owner', 'drops'],
    ['ALTER TABLE lcm.step RENAME COLUMN owner TO holder', 'renames'],
    ['ALTER TABLE lcm.step ALTER COLUMN epoch TYPE bigint', 'changes the type of a column'],
    ['ALTER TABLE lcm.step ALTER COLUMN owner SET NOT NULL', 'demands a value that was not demanded'],
    ['ALTER TABLE lcm.step ADD COLUMN more text NOT NULL', 'adds a column that demands a value without a default'],
  ])('would be told of for %s', (sql, what) => {
    expect(takesAway(sql)).toEqual([what]);
  });

  it.each([
    'ALTER TABLE lcm.step ADD COLUMN more text',
    "ALTER TABLE lcm.step ADD COLUMN more text NOT NULL DEFAULT ''",
    "ALTER TABLE lcm.step ADD COLUMN more text DEFAULT '' NOT NULL",
    'CREATE TABLE lcm.more (id text NOT NULL)',
  ])('may say %s', (sql) => {
    expect(takesAway(sql)).toEqual([]);
  });
});
