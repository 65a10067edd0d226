import { isJsonObject, type Json } from '@windlass/foundation';
import type { FuncKeywordDefinition } from 'ajv/dist/2020.js';

/** One text for values that are equal to JSON Schema: members may come in any order. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]): [string, string] => [JSON.stringify(name), canonical(member)]);
  members.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map((member) => member.join(':')).join(',')}}`;
}

type Validate = Extract<FuncKeywordDefinition['validate'], { errors?: unknown }>;

const validate: Validate = function (wanted: boolean, items: Json[]): boolean {
  validate.errors = [];
  if (!wanted) return true;
  const seen = new Map<string, number>();
  for (const [at, item] of items.entries()) {
    const text = canonical(item);
    const before = seen.get(text);
    if (before !== undefined) {
      validate.errors = [
        { keyword: 'uniqueItems', message: `must NOT have duplicate items (items ${before} and ${at} are equal)` },
      ];
      return false;
    }
    seen.set(text, at);
  }
  return true;
};

/** `uniqueItems` in as long as the list takes to read: ajv's own compares each item with each other. */
export const uniqueItemsKeyword: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  errors: 'full',
  validate,
};
