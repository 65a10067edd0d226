import type { Yaml } from './parse-yaml.js';

/** Values of a topology's inputs, by name. */
export type Inputs = ReadonlyMap<string, Yaml>;

/** What a value counts against an allowance beside its characters: a list of empty texts is not free. */
const CHARACTERS_OF_A_VALUE = 16;

/**
 * A copy with every `{get_input: name}` (or `[name, key, ...]`) replaced by its value. One that has none stays as it is and is
 * complained about by whoever needs it, since most of a VNFD is never read.
 * @returns undefined where the copy would have more than `characters`, as if each value of an input were copied wherever it is put in
 */
export function withInputs(value: Yaml, inputs: Inputs, characters: number): Yaml | undefined {
  const copy = new Copy(inputs, characters);
  const made = copy.of(value);
  return copy.left < 0 ? undefined : made;
}

class Copy {
  /** By value: an input is measured once, however often it is put in. */
  readonly #sizes = new Map<Yaml, number>();

  constructor(
    private readonly inputs: Inputs,
    /** Characters that may still be used; below 0, nothing is copied any more. */
    public left: number,
  ) {}

  of(value: Yaml): Yaml {
    if (this.left < 0) return value;
    if (typeof value === 'string') return this.#asItIs(value);
    if (!Array.isArray(value) && isReference(value)) return this.#asItIs(inputValue(value.get_input, this.inputs) ?? value);
    this.left -= CHARACTERS_OF_A_VALUE;
    if (Array.isArray(value)) return value.map((item) => this.of(item));
    const entries = Object.entries(value).map(([key, member]): [string, Yaml] => {
      this.left -= key.length;
      return [key, this.of(member)];
    });
    return Object.fromEntries(entries);
  }

  #asItIs(value: Yaml): Yaml {
    this.left -= CHARACTERS_OF_A_VALUE + this.#sizeOf(value);
    return value;
  }

  #sizeOf(value: Yaml): number {
    if (typeof value === 'string') return value.length;
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    const size = Array.isArray(value)
      ? value.reduce<number>((sum, item) => sum + CHARACTERS_OF_A_VALUE + this.#sizeOf(item), 0)
      : Object.entries(value).reduce((sum, [key, member]) => sum + CHARACTERS_OF_A_VALUE + key.length + this.#sizeOf(member), 0);
    this.#sizes.set(value, size);
    return size;
  }
}

const isReference = (value: Record<string, Yaml>): boolean => {
  const keys = Object.keys(value);
  return keys.length === 1 && keys[0] === 'get_input';
};

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
