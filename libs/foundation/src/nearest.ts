/**
 * Which of the names is most like this one, whatever its case, where one is like it at all.
 * @param share fewer of its letters than this part differ; half of them unless given
 */
export function nearest(name: string, names: readonly string[], share = 0.5): string | undefined {
  const ranked = names
    .map((known) => ({ known, away: distance(name.toLowerCase(), known.toLowerCase()) }))
    .sort((one, other) => one.away - other.away);
  const [first] = ranked;
  return first !== undefined && first.away < share * Math.max(name.length, first.known.length) ? first.known : undefined;
}

/** Letters to be changed, left out or put in to make one text of the other (Levenshtein). */
function distance(one: string, other: string): number {
  let line = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 0; row < one.length; row += 1) {
    const above = line;
    line = above.reduce<number[]>((made, up, at) => {
      const left = made.at(-1);
      if (left === undefined) return [row + 1];
      const changed = (above[at - 1] ?? 0) + (one.charAt(row) === other.charAt(at - 1) ? 0 : 1);
      return [...made, Math.min(changed, up + 1, left + 1)];
    }, []);
  }
  return line.at(-1) ?? 0;
}
