/** A logical line of Python: brackets and continued lines joined, strings emptied, comments gone. */
export interface PythonLine {
  /** Of its first line in the file, from 1. */
  number: number;
  /** Columns before it; a tab goes to the next eighth. */
  indent: number;
  text: string;
}

/** What the lines of a script are, or why it is none: no Python is needed to see so much. */
export type PythonLines = { lines: PythonLine[] } | { fault: string; number: number };

const OPENS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const STRING = /([A-Za-z]{0,2})("""|'''|"|')/y;
const WORD = /[\p{L}\p{N}_]+/uy;

/** Reads a script into its logical lines. Linear in its length. */
export function pythonLines(source: string): PythonLines {
  const text = source.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const open: { closes: string; number: number }[] = [];
  const lines: PythonLine[] = [];
  let [at, number, begun, indent, parts] = [0, 1, 1, 0, [] as string[]];
  const end = (): void => {
    const joined = parts.join('').trimEnd();
    if (joined !== '') lines.push({ number: begun, indent, text: joined });
    parts = [];
  };
  while (at < text.length) {
    if (parts.length === 0 && open.length === 0) {
      const blank = /[ \t\f]*/y;
      blank.lastIndex = at;
      const [space = ''] = blank.exec(text) ?? [];
      [begun, indent] = [number, columns(space)];
      at += space.length;
    }
    const character = text[at] ?? '';
    const string = stringAt(text, at);
    if (string !== undefined) {
      if (string.end === undefined) return { fault: 'a string begins and does not end', number };
      parts.push('""');
      number += newlines(text, at, string.end);
      at = string.end;
    } else if (character === '#') {
      const newline = text.indexOf('\n', at);
      at = newline === -1 ? text.length : newline;
    } else if (character === '\n') {
      if (open.length === 0) end();
      else parts.push(' ');
      number += 1;
      at += 1;
    } else if (character === '\\' && text[at + 1] === '\n') {
      parts.push(' ');
      number += 1;
      at += 2;
    } else {
      WORD.lastIndex = at;
      const token = WORD.exec(text)?.[0] ?? character;
      const closes = OPENS[token];
      if (closes !== undefined) open.push({ closes, number });
      else if (')]}'.includes(token) && open.pop()?.closes !== token)
        return { fault: `there is a "${token}" that nothing opens`, number };
      parts.push(token);
      at += token.length || 1;
    }
  }
  const [left] = open.slice(-1);
  if (left !== undefined) return { fault: `a bracket is opened, and no "${left.closes}" follows`, number: left.number };
  end();
  return { lines };
}

function columns(space: string): number {
  let column = 0;
  for (const character of space) column = character === '\t' ? (Math.floor(column / 8) + 1) * 8 : column + 1;
  return column;
}

/** The string that begins there; `end` undefined: it has none. */
function stringAt(text: string, at: number): { end: number | undefined } | undefined {
  STRING.lastIndex = at;
  const found = STRING.exec(text);
  if (found?.[2] === undefined || !/^(?:[rbfut]|[bftr]{2})?$/i.test(found[1] ?? '')) return undefined;
  const quote = found[2];
  for (let place = at + found[0].length; place < text.length; place += 1) {
    if (text[place] === '\\') place += 1;
    else if (quote.length === 1 && text[place] === '\n') return { end: /f|t/i.test(found[1] ?? '') ? place : undefined };
    else if (text.startsWith(quote, place)) return { end: place + quote.length };
  }
  return { end: undefined };
}

const newlines = (text: string, from: number, to: number): number => text.slice(from, to).split('\n').length - 1;
