import { pythonStr } from '../../http/python-json.js';
import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { asObject, FunctionError, holdsUnknown, listOf, UNKNOWN, type Evaluate, type FunctionTable } from './function-parts.js';

/** The functions that make lists and maps. */
export const collectionFunctions: FunctionTable = {
  repeat: { since: '2015-04-30', run: repeat },
  map_merge: { since: '2016-10-14', run: merge },
  map_replace: { since: '2016-10-14', run: mapReplace },
  list_concat: { since: '2017-02-24', run: (argument, evaluate) => concat(argument, evaluate, false) },
  list_concat_unique: { since: '2017-02-24', run: (argument, evaluate) => concat(argument, evaluate, true) },
  contains: { since: '2017-02-24', run: contains },
  filter: { since: '2017-02-24', run: filter },
  yaql: {
    since: '2016-10-14',
    run: () => {
      throw new FunctionError('The lab does not evaluate yaql');
    },
  },
};

/** One copy of the template for each combination of the lists' entries. */
function repeat(argument: Json, evaluate: Evaluate): Json {
  const given = asObject('repeat', argument);
  const lists = asObject('repeat', evaluate(given.for_each ?? null));
  const template = given.template ?? null;
  if (holdsUnknown(lists)) return UNKNOWN;
  const names = Object.keys(lists);
  const columns = names.map((name) => listOf('repeat', lists[name] ?? null));
  const rows = given.permutations === false ? zipped(columns) : product(columns);
  return rows.map((row) => evaluate(substitute(template, names, row)));
}

const product = (columns: Json[][]): Json[][] =>
  columns.reduce<Json[][]>((rows, column) => rows.flatMap((row) => column.map((entry) => [...row, entry])), [[]]);

const zipped = (columns: Json[][]): Json[][] =>
  (columns[0] ?? []).map((_, index) => columns.map((column) => column[index] ?? null));

function substitute(template: Json, names: string[], values: Json[]): Json {
  if (typeof template === 'string') return substituteText(template, names, values);
  if (Array.isArray(template)) return template.map((entry) => substitute(entry, names, values));
  if (!isJsonObject(template)) return template;
  return Object.fromEntries(
    Object.entries(template).map(([key, value]) => [
      pythonStr(substituteText(key, names, values)),
      substitute(value, names, values),
    ]),
  );
}

function substituteText(text: string, names: string[], values: Json[]): Json {
  const whole = names.indexOf(text);
  if (whole >= 0) return values[whole] ?? null;
  return names.reduce((result, name, index) => {
    const value = values[index] ?? '';
    if (result.includes(name) && typeof value !== 'string') throw new FunctionError('replace() argument 2 must be str, not int');
    return typeof value === 'string' ? result.replaceAll(name, value) : result;
  }, text);
}

function merge(argument: Json, evaluate: Evaluate): Json {
  const maps = listOf('map_merge', evaluate(argument));
  if (maps.includes(UNKNOWN)) return UNKNOWN;
  return Object.assign({}, ...maps.map((map) => (map === null ? {} : asObject('map_merge', map)))) as JsonObject;
}

/** `[map, {keys: {old: new}, values: {old: new}}]`. */
function mapReplace(argument: Json, evaluate: Evaluate): Json {
  const [first, second] = listOf('map_replace', evaluate(argument));
  if (first === UNKNOWN || second === UNKNOWN) return UNKNOWN;
  const rules = asObject('map_replace', second ?? null);
  const [keys, values] = [rules.keys, rules.values].map((rule) => (isJsonObject(rule) ? rule : {}));
  const changed = Object.entries(asObject('map_replace', first ?? null)).map(([key, value]) => {
    const newValue = typeof value === 'string' ? (values?.[value] ?? value) : value;
    return [pythonStr(keys?.[key] ?? key), newValue] as const;
  });
  return Object.fromEntries(changed);
}

function concat(argument: Json, evaluate: Evaluate, unique: boolean): Json {
  const lists = listOf('list_concat', evaluate(argument));
  if (lists.includes(UNKNOWN)) return UNKNOWN;
  const all = lists.flatMap((list) => (list === null ? [] : listOf('list_concat', list)));
  return unique ? all.filter((entry, index) => all.findIndex((one) => same(one, entry)) === index) : all;
}

function contains(argument: Json, evaluate: Evaluate): Json {
  const [value, sequence] = listOf('contains', evaluate(argument));
  if (typeof sequence === 'string') return sequence.includes(pythonStr(value));
  return listOf('contains', sequence ?? null).some((entry) => same(entry, value ?? null));
}

/** `[values to leave out, list]`. */
function filter(argument: Json, evaluate: Evaluate): Json {
  const [values, sequence] = listOf('filter', evaluate(argument));
  if (values === UNKNOWN || sequence === UNKNOWN) return UNKNOWN;
  const out = listOf('filter', values ?? null);
  return listOf('filter', sequence ?? null).filter((entry) => !out.some((one) => same(one, entry)));
}

const same = (one: Json, other: Json): boolean => JSON.stringify(one) === JSON.stringify(other);
