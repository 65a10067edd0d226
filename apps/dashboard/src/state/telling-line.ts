/** What the line that says why begins with, or has in it, in what programs print. The first kind that is found counts. */
const TELLS: readonly RegExp[] = [
  /\[ERROR[ \]]|^\s*(E:|error:|fatal:)/i,
  /\b(error|fatal|denied|refused|no space|not found|no valid|timed? ?out|unreachable|invalid)\b/i,
  /\b(failed|failure|cannot|can't|could not|unable)\b/i,
];

/** Lines that are looked at: a step's error has its last lines, not a log. */
const LINES = 200;

/** Of several lines the one that says why something failed, as far as words tell; the first where none does. */
export function tellingLine(text: string): string {
  const lines = text
    .split('\n', LINES)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  // The first line says which command ended how; what it printed says more.
  const [first = '', ...printed] = lines;
  for (const kind of TELLS) {
    const line = printed.find((each) => kind.test(each) && !/fatal errors? occurred/i.test(each));
    if (line !== undefined) return line;
  }
  return first;
}
