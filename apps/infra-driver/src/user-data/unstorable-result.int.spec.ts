import { describe, expect, test } from 'vitest';
import { python, run } from './testing/script-world.js';

const module = (result: string) => `export const Data = { instantiate: () => (${result}) };\n`;

/** No database column and no JSON of Heat holds these: found later, it would be an error of PostgreSQL after the 202. */
describe('a result with text that nothing can hold', () => {
  test.each([
    [String.raw`return {'nfv': {'VDU': {'VDU1': {'name': 'a\x00b'}}}}`, 'at /nfv/VDU/VDU1/name'],
    [String.raw`return {'nfv': {'a\x00b': 1}}`, 'in a name below /nfv'],
    [String.raw`return {'list': ['right', 'a\ud800b']}`, 'at /list/1'],
  ])('is refused with its place: Python, %s', async (body, place) => {
    const refused = { code: 'user-data.wrong-result', message: expect.stringContaining(place) as string };
    await expect(run({ text: python(body) })).rejects.toMatchObject(refused);
  });

  test('is refused with its place: JavaScript, in a file', async () => {
    const text = module(String.raw`{ parameters: {}, files: { 'a.yaml': 'x: "\0"' } }`);
    await expect(run({ text, script: 'UserData/data.mjs' })).rejects.toMatchObject({
      code: 'user-data.wrong-result',
      message: expect.stringContaining('at /files/a.yaml') as string,
    });
  });

  test('is taken where a surrogate pair is whole', async () => {
    const { result } = await run({ text: python(String.raw`return {'name': 'a\U0001f600b'}`) });
    expect(result).toEqual({ name: 'a\u{1f600}b' });
  });
});
