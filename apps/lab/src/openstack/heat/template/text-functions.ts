import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { createHash } from 'node:crypto';
import { pythonJson, pythonStr } from '../../http/python-json.js';
import {
  asObject,
  FIRST_VERSION,
  FunctionError,
  holdsUnknown,
  listOf,
  UNKNOWN,
  walk,
  type Evaluate,
  type FunctionTable,
} from './function-parts.js';

/** The functions that make text. */
export const textFunctions: FunctionTable = {
  str_replace: { since: FIRST_VERSION, run: (argument, evaluate) => replaceIn('str_replace', argument, evaluate, false) },
  str_replace_strict: {
    since: '2017-02-24',
    run: (argument, evaluate) => replaceIn('str_replace_strict', argument, evaluate, true),
  },
  str_replace_vstrict: {
    since: '2017-09-01',
    run: (argument, evaluate) => replaceIn('str_replace_vstrict', argument, evaluate, true),
  },
  list_join: { since: '2014-10-16', run: join },
  str_split: { since: '2015-10-15', run: split },
  digest: { since: '2015-04-30', run: digest },
  make_url: { since: '2017-09-01', run: (argument, evaluate) => makeUrl(asObject('make_url', evaluate(argument))) },
};

/** Replaces each key of `params` in `template`, longest first, never inside what was replaced already. */
function replaceIn(name: string, argument: Json, evaluate: Evaluate, strict: boolean): Json {
  const given = asObject(name, argument);
  const template = evaluate(given.template ?? null);
  const params = asObject(name, evaluate(given.params ?? null));
  if (typeof template !== 'string') throw new FunctionError(`"${name}" template must be a string`);
  if (holdsUnknown(params) || holdsUnknown(template)) return UNKNOWN;
  const keys = Object.keys(params)
    .filter((key) => key !== '')
    .sort((one, other) => other.length - one.length);
  const absent = keys.find((key) => !template.includes(key));
  if (strict && absent !== undefined) {
    throw new FunctionError(`The following params were not found in the template: ${absent}`);
  }
  if (keys.length === 0) return template;
  const pattern = new RegExp(keys.map((key) => key.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g');
  return template.replaceAll(pattern, (key) => textOf(params[key]));
}

const textOf = (value: Json | undefined): string => {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? pythonJson(value) : pythonStr(value);
};

/** `[delimiter, list, list...]`. */
function join(argument: Json, evaluate: Evaluate): Json {
  const [delimiter, ...lists] = listOf('list_join', evaluate(argument));
  if (typeof delimiter !== 'string') throw new FunctionError('"list_join" delimiter must be a string');
  if (holdsUnknown(lists)) return UNKNOWN;
  return lists
    .flatMap((list) => (list === null ? [] : listOf('list_join', list)))
    .map(textOf)
    .join(delimiter);
}

/** `[delimiter, text]` or `[delimiter, text, index]`. */
function split(argument: Json, evaluate: Evaluate): Json {
  const [delimiter, text, index] = listOf('str_split', evaluate(argument));
  if (text === UNKNOWN) return UNKNOWN;
  if (typeof delimiter !== 'string' || typeof text !== 'string') {
    throw new FunctionError('Arguments to "str_split" must be of the form: [delimiter, string, index]');
  }
  const parts = text.split(delimiter);
  if (index === undefined || index === null) return parts;
  const part = walk(parts, [index]);
  if (part === undefined) throw new FunctionError(`Incorrect index to "str_split" should be between 0 and ${parts.length - 1}`);
  return part;
}

function digest(argument: Json, evaluate: Evaluate): Json {
  const [algorithm, text] = listOf('digest', evaluate(argument));
  if (text === UNKNOWN) return UNKNOWN;
  if (
    typeof algorithm !== 'string' ||
    typeof text !== 'string' ||
    !['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'].includes(algorithm)
  ) {
    throw new FunctionError('Algorithm must be one of md5, sha1, sha224, sha256, sha384, sha512');
  }
  return createHash(algorithm).update(text).digest('hex');
}

function makeUrl(parts: JsonObject): Json {
  if (holdsUnknown(parts)) return UNKNOWN;
  const text = (name: string): string => textOf(parts[name]);
  const user = text('username') === '' ? '' : `${text('username')}${text('password') === '' ? '' : `:${text('password')}`}@`;
  const port = text('port') === '' ? '' : `:${text('port')}`;
  const query = isJsonObject(parts.query) ? `?${new URLSearchParams(mapText(parts.query)).toString()}` : '';
  const fragment = text('fragment') === '' ? '' : `#${text('fragment')}`;
  return `${text('scheme')}://${user}${text('host')}${port}${text('path')}${query}${fragment}`;
}

const mapText = (map: JsonObject): Record<string, string> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, textOf(value)]));
