/** Which of the names a misspelt one is most like; undefined where none is like it: two of five letters differ. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const ranked = names
    .map((known) => ({ known, away: distance(name.toLowerCase(), known.toLowerCase()) }))
    .sort((one, other) => one.away - other.away);
  const [first] = ranked;
  return first !== undefined && first.away * 5 < 2 * Math.max(name.length, first.known.length) ? first.known : undefined;
}

/** Characters of a name that is compared. */
const LONGEST_NAME = 100;

/** Letters to be changed, left out or put in to make one text of the other (Levenshtein). */
function distance(one: string, other: string): number {
  let line = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 0; row < one.length; row += 1) {
    const next = [row + 1];
    for (let at = 0; at < other.length; at += 1) {
      const changed = (line[at] ?? 0) + (one.charAt(row) === other.charAt(at) ? 0 : 1);
      next.push(Math.min(changed, (line[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    line = next;
  }
  return line.at(-1) ?? 0;
}
