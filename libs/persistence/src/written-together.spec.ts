import { expect, it } from 'vitest';
import { joinedByStatement, oneOf, rowsAsJson, rowsByColumn } from './written-together.js';

const insert = { statement: { name: 'windlass a', text: 'INSERT INTO a VALUES ($1, $2, $1)' }, values: () => [1, 2] };
const update = {
  statement: { name: 'windlass b', text: 'UPDATE b SET c = $12, d = $1' },
  values: () => Array.from({ length: 12 }, () => 'x'),
};
const remove = { statement: { name: 'windlass c', text: 'DELETE FROM c WHERE id = $1' }, values: () => ['last'] };

it('writes go out as one statement, each with its own values, under a name that is theirs in every process', () => {
  const { statement, values } = oneOf([insert, update, remove]);
  expect(statement.text).toBe(
    'WITH part0 AS (INSERT INTO a VALUES ($1, $2, $1)), part1 AS (UPDATE b SET c = $14, d = $3), part2 AS (DELETE FROM c WHERE id = $15) SELECT',
  );
  expect(values()).toEqual([1, 2, ...update.values(), 'last']);
  expect(oneOf([insert, update, remove]).statement).toBe(statement);
  expect(oneOf([update, insert]).statement.name).not.toBe(statement.name);
  expect(statement.name).toMatch(/^windlass together [0-9a-f]{16}$/);
});

it('a write that stands alone goes out as it is', () => {
  expect(oneOf([insert])).toBe(insert);
});

it('rows that several write by one statement are written by one, with each the values of all; the rest stands as it is', () => {
  const byColumn = { name: 'windlass payload', text: 'INSERT INTO p SELECT * FROM unnest($1::uuid[], $2::text[])' };
  const asJson = { name: 'windlass events', text: 'INSERT INTO e SELECT * FROM jsonb_array_elements($1::jsonb)' };
  const joined = joinedByStatement([
    insert,
    rowsByColumn(byColumn, () => [
      ['1', '2'],
      ['a', 'b'],
    ]),
    rowsAsJson(asJson, () => [{ n: 1 }, { n: 2 }]),
    rowsByColumn(byColumn, () => [['3'], ['c']]),
    rowsAsJson(asJson, () => [{ n: 3 }]),
  ]);
  expect(joined.map(({ statement }) => statement.name)).toEqual(['windlass a', 'windlass events', 'windlass payload']);
  expect(joined.map(({ values }) => values())).toEqual([
    [1, 2],
    ['[{"n":1},{"n":2},{"n":3}]'],
    [
      ['1', '2', '3'],
      ['a', 'b', 'c'],
    ],
  ]);
});
