import type { Json } from '@windlass/foundation';

/** JSON as Python's `json.dumps` writes it (`{"a": 1, "b": [2, 3]}`): Heat shows json parameters so. */
export function pythonJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, member]) => `${JSON.stringify(key)}: ${pythonJson(member)}`)
      .join(', ')}}`;
  }
  return JSON.stringify(value);
}

/** A value as Python's `str()` writes it: `True`, `None`, a list with single quotes. */
export function pythonStr(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return pythonRepr(value);
}

/** A value as Python's `repr()` writes it. */
export function pythonRepr(value: Json | undefined): string {
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'string')
    return value.includes("'") && !value.includes('"') ? `"${value}"` : `'${value.replaceAll("'", "\\'")}'`;
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, member]) => `${pythonRepr(key)}: ${pythonRepr(member)}`)
    .join(', ')}}`;
}
