import { isScalar, LineCounter, type Pair, parseDocument, visit } from 'yaml';
import { PARSE_OPTIONS } from './yaml-source.js';

/** A key that stands twice in one map, with the lines of the first and of the last, whose value counts. */
export interface DuplicateKey {
  key: string;
  first: number;
  last: number;
}

/** The keys of a YAML text that stand twice in one map; `<<` may. The text was parsed under limits before. */
export function duplicateKeys(text: string): DuplicateKey[] {
  const lines = new LineCounter();
  const found: DuplicateKey[] = [];
  visit(parseDocument(text, { ...PARSE_OPTIONS, lineCounter: lines }), {
    Map(_, { items }) {
      const seen = new Map<string, DuplicateKey>();
      for (const { key } of items as Pair[]) {
        if (!isScalar(key) || key.source === '<<') continue;
        const name = key.source ?? '';
        const line = lines.linePos(key.range?.[0] ?? 0).line;
        const above = seen.get(name);
        if (above === undefined) seen.set(name, { key: name, first: line, last: line });
        else {
          if (above.first === above.last) found.push(above);
          above.last = line;
        }
      }
    },
  });
  return found;
}
