/** A difference between the shapes of two JSON values. */
export interface ShapeDifference {
  at: string;
  recorded: string;
  seen: string;
}

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value);

/**
 * The places where `seen` has other members, or members of other types, than `recorded`. Null matches any type, an empty list any list,
 * and all entries of a list are compared with the first recorded one. Values are not compared.
 */
export function shapeDifferences(recorded: unknown, seen: unknown, at = ''): ShapeDifference[] {
  const [was, is] = [kindOf(recorded), kindOf(seen)];
  if (was === 'null' || is === 'null') return [];
  if (was !== is) return [{ at, recorded: was, seen: is }];
  if (Array.isArray(recorded) && Array.isArray(seen)) {
    return recorded.length === 0 ? [] : seen.flatMap((entry) => shapeDifferences(recorded[0], entry, `${at}[]`));
  }
  if (was !== 'object') return [];
  const [old, now] = [recorded as Record<string, unknown>, seen as Record<string, unknown>];
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  return [...names].flatMap((name): ShapeDifference[] => {
    const here = `${at}/${name}`;
    if (!(name in now)) return [{ at: here, recorded: kindOf(old[name]), seen: 'absent' }];
    if (!(name in old)) return [{ at: here, recorded: 'absent', seen: kindOf(now[name]) }];
    return shapeDifferences(old[name], now[name], here);
  });
}
