import { expect, it } from 'vitest';
import { nearest } from './nearest.js';

const NAMES = ['VDU1_CP1', 'VDU1_CP2', 'masterNode_CP1', 'CP1'];

it.each([
  ['another case', 'cp1', 'CP1'],
  ['a letter too many', 'masterNodes_CP1', 'masterNode_CP1'],
  ['a letter too few', 'mastrNode_CP1', 'masterNode_CP1'],
  ['another digit: the nearer of two', 'VDU_CP2', 'VDU1_CP2'],
])('a name with %s is known again: %s', (_, name, known) => expect(nearest(name, NAMES)).toBe(known));

it.each(['registry', '', 'X'])('nothing is guessed for %j, which is like none of them', (name) =>
  expect(nearest(name, NAMES)).toBeUndefined(),
);

it('nothing is guessed where there is nothing', () => expect(nearest('CP1', [])).toBeUndefined());
