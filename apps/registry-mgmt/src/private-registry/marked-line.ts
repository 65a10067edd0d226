/** What follows a mark at the beginning of a line: the last such line of what a script printed; empty without one. */
export const lineAfter = (mark: string, printed: string): string =>
  printed
    .split('\n')
    .findLast((line) => line.startsWith(mark))
    ?.slice(mark.length)
    .trim() ?? '';
