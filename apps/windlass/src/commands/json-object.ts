import { isJsonObject, RequestError, type JsonObject } from '@windlass/foundation';
import { visit } from 'jsonc-parser';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Surroundings } from '../surroundings/config.js';

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

type OnError = NonNullable<Parameters<typeof visit>[1]['onError']>;

/**
 * ` (line 3, column 7)`: where the first thing stands that JSON has not there. V8 does not always say, and shows a part of the text, which may be
 * secret. Empty for what is nested too deeply to be walked through.
 */
function placeIn(text: string): string {
  const places: string[] = [];
  const onError: OnError = (_error, _offset, _length, line, column) =>
    void places.push(` (line ${line + 1}, column ${column + 1})`);
  try {
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return places[0] ?? '';
}
