import { describe, expect, it } from 'vitest';
import { surroundings } from './surroundings/config.js';
import { LOADED_ALONE, programOf } from './program-of.js';
import { windlassProgram } from './program.js';

const where = surroundings({});
const whole = () => Promise.resolve(windlassProgram(where));

describe('a command that is loaded alone', () => {
  it.each(LOADED_ALONE)('%s has the options and the help that it has in the whole', async (name) => {
    const alone = (await programOf([name], where, whole)).commands;
    expect(alone).toHaveLength(1);
    expect(alone[0]?.helpInformation()).toBe((await whole()).commands.find((one) => one.name() === name)?.helpInformation());
  });

  it.each([[[]], [['--help']], [['vnff']], [['toString']], [['help', 'vnf']]])(
    '%j: the whole, which knows the nearest and lists all',
    async (words) => {
      expect((await programOf(words, where, whole)).commands.length).toBeGreaterThan(LOADED_ALONE.length);
    },
  );
});
