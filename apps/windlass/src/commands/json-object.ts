import { isJsonObject, RequestError, type JsonObject } from '@windlass/foundation';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Surroundings } from '../config.js';

/**
 * A JSON file that is named from where the command was called.
 * @throws RequestError 400 `cli.json` for what is no JSON object, with its line and column
 */
export const jsonFile = async (where: Pick<Surroundings, 'calledFrom'>, file: string): Promise<JsonObject> =>
  jsonObjectIn(await readFile(resolve(where.calledFrom, file), 'utf8'), file);

/** Reads the text of a file as a JSON object. @throws RequestError 400 `cli.json` in one sentence, with line and column */
export function jsonObjectIn(text: string, file: string): JsonObject {
  const refused = (why: string): RequestError =>
    new RequestError(400, 'cli.json', `${file} ${why}; expected a JSON object, such as {"flavourId": "simple"}`);
  if (text.trim() === '') throw refused('is empty');
  const plain = text.replace(/^\uFEFF/, '');
  let read: unknown;
  try {
    read = JSON.parse(plain);
  } catch {
    throw refused(`is no JSON${placeIn(plain)}`);
  }
  if (!isJsonObject(read)) throw refused(`holds ${Array.isArray(read) ? 'a list' : JSON.stringify(read).slice(0, 20)}`);
  return read;
}

/** ` (line 3, column 7)`: where the first thing stands that JSON has not there. V8 does not always say, and shows a part of the text, which may be secret. */
function placeIn(text: string): string {
  const before = text.slice(0, wrongAt(text)).split('\n');
  return ` (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`;
}

const TOKEN =
  /\s*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;

/** The place of the first token that may not stand where it does, or that is none; the end where something is missing. */
function wrongAt(text: string): number {
  const open: string[] = [];
  // What may come: v a value, k a name, : , and the closing bracket.
  let may = 'v';
  for (let at = 0; ; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    const start = at + (/^\s*/.exec(text.slice(at, at + 1_000))?.[0].length ?? 0);
    if (found === null) return start;
    const [, mark = '', name] = found;
    const kind = mark !== '' ? mark : name !== undefined && may.includes('k') ? 'k' : 'v';
    const fits = kind === '{' || kind === '[' ? may.includes('v') : may.includes(kind);
    if (!fits) return start;
    if (kind === '{' || kind === '[') open.push(kind === '{' ? '}' : ']');
    if (kind === '}' || kind === ']') open.pop();
    may = next(kind, open.at(-1) ?? '');
  }
}

/** What may come behind a token. @param closing the bracket that is open; empty behind the whole */
function next(kind: string, closing: string): string {
  if (kind === '{') return 'k}';
  if (kind === '[') return 'v]';
  if (kind === ':') return 'v';
  if (kind === 'k') return ':';
  if (kind === ',') return closing === '}' ? 'k' : 'v';
  return closing === '' ? '' : `,${closing}`;
}
