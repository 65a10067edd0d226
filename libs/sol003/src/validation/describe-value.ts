/** What a value is, in words that give nothing of it away: `a string of 12 characters`, `a number`, `nothing`. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 1 ? 'a list of 1 element' : `a list of ${value.length} elements`;
  switch (typeof value) {
    case 'string':
      return value === ''
        ? 'an empty string'
        : value.length === 1
          ? 'a string of 1 character'
          : `a string of ${value.length} characters`;
    case 'number':
      return Number.isInteger(value) ? 'an integer' : 'a number';
    case 'boolean':
      return 'a boolean';
    default:
      return 'an object';
  }
}
