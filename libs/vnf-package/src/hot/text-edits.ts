import { isMap, isScalar, type Pair, type ParsedNode, type YAMLMap } from 'yaml';

/** Replaces the text from `start` up to `end`. */
export interface TextEdit {
  start: number;
  end: number;
  text: string;
}

/** Applies edits to a text; all else stays byte for byte. Of edits that lie within another the outer one wins. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const sorted = edits.toSorted((a, b) => a.start - b.start || b.end - a.end);
  let result = '';
  let at = 0;
  for (const edit of sorted) {
    if (edit.start < at) continue;
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}

export type ParsedMap = YAMLMap<ParsedNode, ParsedNode | null>;
export type ParsedPair = Pair<ParsedNode, ParsedNode | null>;

/** The entry of a map by its key; undefined where there is none or the node is no map. */
export function pairOf(node: unknown, key: string): ParsedPair | undefined {
  if (!isMap(node)) return undefined;
  return (node as ParsedMap).items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

/** The value below, by keys. */
export function nodeAt(root: unknown, ...path: string[]): ParsedNode | undefined {
  let node: unknown = root;
  for (const key of path) node = pairOf(node, key)?.value;
  return (node ?? undefined) as ParsedNode | undefined;
}

/** An edit that gives an entry another value, written in flow style on the key's own line. */
export function replaceValue(text: string, pair: ParsedPair, value: string): TextEdit {
  const keyEnd = pair.key.range[1];
  const end = pair.value?.range[1] ?? text.indexOf(':', keyEnd) + 1;
  const swallowedLine = text.slice(keyEnd, end).endsWith('\n');
  return { start: keyEnd, end, text: `: ${value}${swallowedLine ? '\n' : ''}` };
}

/** An edit that removes an entry of a block or flow map, its comments included. */
export function removePair(text: string, map: ParsedMap, pair: ParsedPair): TextEdit {
  const index = map.items.indexOf(pair);
  const lineStart = text.lastIndexOf('\n', pair.key.range[0] - 1) + 1;
  const next = map.items[index + 1]?.key.range[0];
  if (map.flow === true) {
    const previous = map.items[index - 1];
    if (next !== undefined) return { start: pair.key.range[0], end: next, text: '' };
    const before = previous === undefined ? pair.key.range[0] : (previous.value ?? previous.key).range[1];
    return { start: before, end: (pair.value ?? pair.key).range[1], text: '' };
  }
  const nextLine = next === undefined ? undefined : text.lastIndexOf('\n', next - 1) + 1;
  return { start: lineStart, end: nextLine ?? (pair.value ?? pair.key).range[2], text: '' };
}

/** An edit that puts an entry before the first one of a map. */
export function insertFirst(text: string, map: ParsedMap, entry: string): TextEdit | undefined {
  const first = map.items[0]?.key.range[0];
  if (first === undefined) return undefined;
  if (map.flow === true) return { start: first, end: first, text: `${entry}, ` };
  const indent = ' '.repeat(first - (text.lastIndexOf('\n', first - 1) + 1));
  return { start: first, end: first, text: `${entry}\n${indent}` };
}
