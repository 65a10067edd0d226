import type { KnownParts } from './known-parts.js';
import type { LeftOut } from '../translate/table.js';

/** A part of a node or policy, and what is known below it. */
export interface Part {
  /** What becomes of it and of all that is below; absent where it is looked into. */
  fate?: Fate;
  /** It may be a single value, too. */
  single?: boolean;
  readonly below: Map<string, Part>;
}

export type Fate = 'read' | 'made' | 'told' | LeftOut;

/** The parts of a type, by their keys. */
export function partsOf({ read, made = [], told = [], single = [] }: KnownParts, leftOut: readonly LeftOut[]): Part {
  const root: Part = { below: new Map() };
  const at = (path: readonly string[]): Part => {
    let part = root;
    for (const key of path) {
      const next = part.below.get(key) ?? { below: new Map() };
      part.below.set(key, next);
      part = next;
    }
    return part;
  };
  const put = (path: readonly string[], fate: Fate): void => {
    at(path).fate = fate;
  };
  for (const path of read) put(path.split('.'), 'read');
  for (const path of made) put(path.split('.'), 'made');
  for (const path of told) put(path.split('.'), 'told');
  for (const path of single) at(path.split('.')).single = true;
  for (const row of leftOut) put(row.of.path, row);
  return root;
}
