import type { PythonLine } from './python-lines.js';

/** What a script imports at one place. */
export interface PythonImport {
  /** `tacker.vnfm.lcm_user_data`; empty in `from . import name`. */
  module: string;
  /** Dots before it: 0 where it is absolute. */
  level: number;
  /** The names of `from module import name`; `*` too. */
  names?: string[];
  line: number;
  /** The script goes on without it: it stands in a `try`, or where it is not run as user data. */
  optional: boolean;
}

/** Statements in whose bodies nothing must be there. */
const OPTIONAL = /^(?:try\b|if\s+(?:\w+\.)?TYPE_CHECKING\b|if\s+__name__\b)/;
const GOES_ON = /^(?:except|else|elif|finally)\b/;

/** All imports of a script. */
export function importsOf(lines: readonly PythonLine[]): PythonImport[] {
  const blocks: number[] = [];
  return lines.flatMap(({ text, indent, number }) => {
    while (blocks.length > 0 && indent <= (blocks.at(-1) ?? 0) && !(indent === blocks.at(-1) && GOES_ON.test(text))) blocks.pop();
    const begins = OPTIONAL.test(text);
    const optional = begins || blocks.length > 0;
    if (begins) blocks.push(indent);
    return text.split(';').flatMap((statement) => importIn(statement.trim(), number, optional));
  });
}

function importIn(statement: string, line: number, optional: boolean): PythonImport[] {
  const spaced = statement.replace(/\s+/g, ' ');
  // `try: import x`, `else: from x import y`
  const inBlock = /: ?(?=(?:import|from)\b)/.exec(spaced);
  const text = /^(?:import|from)\b/.test(spaced) ? spaced : inBlock === null ? '' : spaced.slice(inBlock.index + 1).trim();
  if (text.startsWith('import '))
    return listed(text.slice(7)).map((module) => ({ module: module.replaceAll(' ', ''), level: 0, line, optional }));
  const at = text.startsWith('from') ? text.search(/\bimport\b/) : -1;
  if (at === -1) return [];
  const from = text.slice(4, at).replaceAll(' ', '');
  const module = from.replace(/^\.+/, '');
  if (from === '' || !/^[\w.]*$/u.test(module)) return [];
  const names = listed(text.slice(at + 6).replace(/[()]/g, ''));
  return [{ module, level: from.length - module.length, names, line, optional }];
}

/** Names, without what they are called here. */
const listed = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim().split(' as ')[0] ?? '')
    .filter((name) => name !== '');

/** The names that a module has: what it defines, assigns and imports outside of functions and classes. */
export const namesOf = (lines: readonly PythonLine[]): string[] =>
  lines
    .filter(({ indent }) => indent === 0)
    .flatMap(({ text }) => {
      const defined = /^(?:async\s+)?(?:def|class)\s+(\w+)/u.exec(text)?.[1] ?? /^(\w+)\s*(?::[^=]*)?=(?!=)/u.exec(text)?.[1];
      return defined === undefined ? [] : [defined];
    });
