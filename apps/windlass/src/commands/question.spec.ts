import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { questionOn } from './question.js';

const terminal = (isTTY: boolean) => {
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const stderr = Object.assign(new PassThrough(), { isTTY });
  return { stdin, stderr };
};

describe('a question before something is lost', () => {
  it.each([
    ['yes\n', true],
    [' yes \n', true],
    ['y\n', false],
    ['\n', false],
    ['no\n', false],
  ])('is answered by %j: %s', async (answer, goes) => {
    const { stdin, stderr } = terminal(true);
    const asked = questionOn({ stdin, stderr })?.('this deletes a volume: data (4711)');
    stdin.write(answer);
    expect(await asked).toBe(goes);
    expect(String(stderr.read())).toContain('this deletes a volume: data (4711)\nType yes to go on: ');
  });

  it('is answered with no by the end of what is typed', async () => {
    const { stdin, stderr } = terminal(true);
    const asked = questionOn({ stdin, stderr })?.('this deletes a volume');
    stdin.end();
    expect(await asked).toBe(false);
  });

  it('is not asked where there is no terminal', () => {
    expect(questionOn(terminal(false))).toBeUndefined();
  });
});
