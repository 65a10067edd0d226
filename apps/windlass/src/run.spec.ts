import { RequestError } from '@windlass/foundation';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readFile } from 'node:fs/promises';
import { jsonObjectIn } from './commands/json-object.js';
import { endQuietlyWithoutReader, toldOf } from './run.js';

const said = (work: () => unknown): string => {
  try {
    work();
    return 'nothing was refused';
  } catch (error) {
    return toldOf(error);
  }
};

describe('what a person is told of an error', () => {
  it.each([
    ['/nowhere/body.json', '/nowhere/body.json: there is no such file or folder'],
    ['/tmp', 'it is a folder; a file was expected'],
    ['/etc/hostname/x', '/etc/hostname/x: a part of its path is no folder'],
  ])('is one sentence for the file %s', async (file, sentence) => {
    const error = await readFile(file).catch((thrown: unknown) => thrown);
    // A read of a folder says nothing of its path.
    expect(toldOf(Object.assign(error as Error, { path: file }))).toContain(sentence);
  });

  it('is the message of ours, and a stack trace of what nobody expects', () => {
    expect(toldOf(new RequestError(400, 'a.b', 'say it'))).toBe('say it');
    expect(toldOf(new Error('a bug'))).toMatch(/a bug\n\s+at /);
  });

  it.each([
    ['{"a": 1,\n  "b": }', 'body.json is no JSON (line 2, column 8)'],
    ['{"password": "geheim', 'body.json is no JSON (line 1, column 14)'],
    ['{"a": 1', 'body.json is no JSON (line 1, column 8)'],
    ['{"a": 1,}', 'body.json is no JSON (line 1, column 9)'],
    ['{"a": [1, 2}', 'body.json is no JSON (line 1, column 12)'],
    ["{'a': 1}", 'body.json is no JSON (line 1, column 2)'],
    ['{"a": 01}', 'body.json is no JSON (line 1, column 8)'],
    ['{"a": 1}\n{', 'body.json is no JSON (line 2, column 1)'],
    ['{"a": 1} // note', 'body.json is no JSON (line 1, column 10)'],
    ['{"a": "x\ty"}', 'body.json is no JSON (line 1, column 7)'],
    ['{\r\n  "a": tru\r\n}', 'body.json is no JSON (line 2, column 8)'],
    ['<html>', 'body.json is no JSON (line 1, column 1)'],
    ['[1]', 'body.json holds a list'],
    ['7', 'body.json holds 7'],
    ['null', 'body.json holds null'],
    ['  \n', 'body.json is empty'],
  ])('is where %j is no JSON object, and nothing of the text', (text, sentence) => {
    const told = said(() => jsonObjectIn(text, 'body.json'));
    expect(told).toContain(sentence);
    expect(told).toContain('expected a JSON object');
    expect(told).not.toContain('geheim');
  });

  it('is said without a place where it is nested too deeply', () => {
    expect(said(() => jsonObjectIn('['.repeat(200_000), 'body.json'))).toMatch(/^body\.json is no JSON; expected a JSON object/);
  });

  it('is taken with a byte order mark, as editors write it', () => {
    expect(jsonObjectIn('\uFEFF{"a":1}', 'body.json')).toEqual({ a: 1 });
  });
});

describe('a reader that has seen enough', () => {
  it('ends the command, and is no error', () => {
    const stream = new PassThrough();
    const ended: string[] = [];
    endQuietlyWithoutReader([stream], () => ended.push('quietly'));
    stream.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    expect(ended).toEqual(['quietly']);
    expect(() => stream.emit('error', new Error('the disk is gone'))).toThrow('the disk is gone');
  });
});
