import { expect, it } from 'vitest';
import { STEP_SOURCES } from './sources.js';

it('no two lists of sources have one name: the later would be read in the place of the other', () => {
  const names = STEP_SOURCES.map(([name]) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
