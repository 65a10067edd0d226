import type { Yaml } from './parse-yaml.js';

/** Values of a topology's inputs, by name. */
export type Inputs = ReadonlyMap<string, Yaml>;

/**
 * A copy with every `{get_input: name}` (or `[name, key, ...]`) replaced by its value. One that has none stays as it is and is
 * complained about by whoever needs it, since most of a VNFD is never read.
 */
export function withInputs(value: Yaml, inputs: Inputs): Yaml {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((item) => withInputs(item, inputs));
  const keys = Object.keys(value);
  if (keys.length === 1 && keys[0] === 'get_input') return inputValue(value.get_input, inputs) ?? value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withInputs(member, inputs)]));
}

function inputValue(reference: Yaml | undefined, inputs: Inputs): Yaml | undefined {
  if (typeof reference === 'string') return inputs.get(reference);
  if (!Array.isArray(reference)) return undefined;
  const [name, ...path] = reference;
  let value = typeof name === 'string' ? inputs.get(name) : undefined;
  for (const key of path) {
    if (typeof key !== 'string' || typeof value !== 'object') return undefined;
    if (Array.isArray(value)) value = value[Number(key)];
    else value = Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}
