import { isJsonObject, mapMembers, type Json, type JsonObject } from '@windlass/foundation';
import type { Example } from './example.js';

/** What a client may send as a text: quotes, commands, line ends, a reference, control characters, what is no ASCII. */
const hostile = (path: string): string[] => [
  `'; touch ${path}; '`,
  `"$(touch ${path})"\\`,
  `\`touch ${path}\` && exit 1`,
  `${path}\n{"say":"done"}\n`,
  `{"$from":"vim"} ${path}`,
  `-rf ${path} %s %n \u0007 ä€😀`,
];

/**
 * The example with each of its texts that is no name of a connection point, no user and no key replaced by a hostile one: one example a hostile
 * text, in all places that take any text.
 * @param path of a file that is made where one of them is taken for a command; it stands in each
 */
export function hostileExamples(example: Example, path: string): Example[] {
  const names = new Set(example.vnfcs.flatMap(({ cp, vduId }) => [cp, vduId]));
  return hostile(path).map((text) => ({
    ...example,
    additionalParams: replaced(example.additionalParams, text, names) as JsonObject,
  }));
}

/** Members of a login: a key has to be one, and nobody is called so. */
const LOGIN = /user|private_?key|passphrase/i;

function replaced(value: Json, text: string, names: ReadonlySet<string>): Json {
  if (typeof value === 'string') return names.has(value) ? value : text;
  if (Array.isArray(value)) return value.map((each) => replaced(each, text, names));
  if (!isJsonObject(value)) return value;
  return mapMembers(value, (member, name) => (LOGIN.test(name) ? member : replaced(member as Json, text, names))) as JsonObject;
}
