/** `a`, `a and b`, `a, b and c`. */
export const listedNames = (of: readonly string[]): string =>
  of.length < 2 ? of.join('') : `${of.slice(0, -1).join(', ')} and ${of.at(-1) ?? ''}`;
