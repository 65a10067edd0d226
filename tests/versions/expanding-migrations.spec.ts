import { migrations, needsRelease } from '@windlass/persistence';
import { describe, expect, it } from 'vitest';

/** The last migration of the releases that ran alone: the next release is the first that runs beside another. */
const LAST_WITHOUT_NEIGHBOURS = 'StepsBehindTheLock1700000000041';

/** Migrations that remove what the release before does not use any more, each with the last migration of that release. */
const CONTRACTING: Readonly<Record<string, string>> = {};

/** Statements at which a running service of the release before would fail. */
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

/** Whole statements, and clauses of ALTER TABLE, by which nothing is taken from whoever does not know of them. What is not among them takes something away until somebody has thought about it. */
const ADDS = [
  /^CREATE\s+(TABLE|INDEX|SEQUENCE|TYPE|TRIGGER|VIEW|MATERIALIZED\s+VIEW|SCHEMA|FUNCTION)\b/i,
  /^ADD\s+COLUMN\b/i,
  /^(INSERT\s+INTO|GRANT|COMMENT\s+ON)\b/i,
];
/** On a table of before it refuses what the release before writes: only on one that the same migration makes. */
const ADDS_UNIQUE_INDEX = /^CREATE\s+UNIQUE\s+INDEX\s+\S+\s+ON\s+(\S+)/i;

const NOT_KNOWN = 'says what is not known to add only';

/** What a text says, without comments and what stands in quotes: a function's body runs later, and may say anything. */
const bareOf = (sql: string): string =>
  sql
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replaceAll(/'(?:[^']|'')*'/g, "''");

/** Its statements; of ALTER TABLE its clauses, each for itself. */
const partsOf = (sql: string): string[] =>
  bareOf(sql)
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
    .flatMap((statement) => {
      const altered = /^ALTER\s+TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?\S+\s+([\s\S]*)$/i.exec(statement);
      return altered?.[1] === undefined ? [statement] : altered[1].split(/,(?![^(]*\))/).map((clause) => clause.trim());
    });

/** @param made tables of the migration's own */
function addsOnly(part: string, made: ReadonlySet<string>): boolean {
  const unique = ADDS_UNIQUE_INDEX.exec(part)?.[1];
  return unique === undefined ? ADDS.some((adds) => adds.test(part)) : made.has(unique);
}

/** What the statements of a migration take away, by statement. */
function takesAway(...said: readonly string[]): string[] {
  const made = new Set(
    said.flatMap((sql) => [...bareOf(sql).matchAll(/\bCREATE\s+TABLE\s+([^\s(]+)/gi)].map(([, table = '']) => table)),
  );
  return said.flatMap((sql) => {
    const known = TAKES_AWAY.filter(([, statement]) => statement.test(bareOf(sql))).map(([what]) => what);
    if (known.length > 0) return known;
    return partsOf(sql).every((part) => addsOnly(part, made)) ? [] : [NOT_KNOWN];
  });
}

/** The statements of a migration. */
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
      const needed = CONTRACTING[name];
      // Releases further back read it, and do not start; one that is not listed would keep out releases for nothing.
      const needs = said.filter((sql) => /\bneeds\s/.test(sql) && /\bCOMMENT\s+ON\s+SCHEMA\b/i.test(sql));
      expect(needs).toEqual(needed === undefined ? [] : [needsRelease(needed)]);
      const found = takesAway(...said);
      if (needed === undefined)
        expect(
          { found, said: found.length === 0 ? [] : said },
          'docs/guides/upgrade.md#for-who-changes-the-schema says how it is done in two releases',
        ).toEqual({
          found: [],
          said: [],
        });
      else {
        expect(found).not.toEqual([]);
        // The release before knows it, and runs on.
        expect(migrations.slice(0, migrations.indexOf(Migration)).map((each) => each.name)).toContain(needed);
      }
    },
  );

  it.each([
    ['ALTER TABLE lcm.step DROP COLUMN owner', 'drops'],
    ['ALTER TABLE lcm.step RENAME COLUMN owner TO holder', 'renames'],
    ['ALTER TABLE lcm.step ALTER COLUMN epoch TYPE bigint', 'changes the type of a column'],
    ['ALTER TABLE lcm.step ALTER COLUMN owner SET NOT NULL', 'demands a value that was not demanded'],
    ['ALTER TABLE lcm.step ADD COLUMN more text NOT NULL', 'adds a column that demands a value without a default'],
    ['ALTER TABLE lcm.step DROP owner', NOT_KNOWN],
    ['ALTER TABLE lcm.step ADD COLUMN more text, DROP owner', NOT_KNOWN],
    ['ALTER TABLE lcm.step ALTER COLUMN resumed DROP DEFAULT', NOT_KNOWN],
    ['ALTER TABLE lcm.step ADD CONSTRAINT few CHECK (losses < 3)', NOT_KNOWN],
    ['ALTER TABLE lcm.step ADD more text NOT NULL', NOT_KNOWN],
    ['ALTER TABLE lcm.step SET SCHEMA old', NOT_KNOWN],
    ['CREATE UNIQUE INDEX one ON lcm.step (owner)', NOT_KNOWN],
    ['DROP MATERIALIZED VIEW lcm.durations', NOT_KNOWN],
    ['DROP TRIGGER note ON lcm.step', NOT_KNOWN],
    ['CREATE INDEX more ON lcm.step (owner); DROP INDEX lcm.step_owner', NOT_KNOWN],
    ['REVOKE SELECT ON lcm.step FROM windlass', NOT_KNOWN],
    ['DELETE FROM lcm.step', NOT_KNOWN],
    [`DO $$ BEGIN ALTER TABLE lcm.step DROP owner; END $$`, NOT_KNOWN],
    ['CREATE OR REPLACE FUNCTION lcm.epoch_base() RETURNS bigint LANGUAGE sql AS $$ SELECT 0 $$', NOT_KNOWN],
  ])('would be told of for %s', (sql, what) => {
    expect(takesAway(sql)).toEqual([what]);
  });

  it.each([
    'ALTER TABLE lcm.step ADD COLUMN more text',
    "ALTER TABLE lcm.step ADD COLUMN more text NOT NULL DEFAULT ''",
    "ALTER TABLE lcm.step ADD COLUMN more text DEFAULT '' NOT NULL",
    'CREATE TABLE lcm.more (id text NOT NULL)',
    'CREATE TABLE lcm.more (id text NOT NULL); CREATE UNIQUE INDEX one ON lcm.more (id)',
    "ALTER TABLE lcm.step ADD COLUMN more numeric(10, 2), ADD COLUMN most text DEFAULT 'drop it; now'",
    `CREATE FUNCTION lcm.more() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM lcm.more; RETURN NULL; END $$`,
    '-- DROP TABLE lcm.step\nCREATE INDEX more ON lcm.step (owner)',
  ])('may say %s', (sql) => {
    expect(takesAway(sql)).toEqual([]);
  });
});
