import { describe, expect, expectTypeOf, it } from 'vitest';
import { shape, type TypeOf } from './index.js';

const person = shape.closed({
  name: shape.text({ minLength: 1 }),
  kind: shape.optional(shape.oneOf(['user', 'service'])),
  roles: shape.list({ items: shape.text(), maxItems: 3 }),
  of: shape.optional(shape.textOrNull()),
  since: shape.unchecked<Date>(),
  note: shape.optional(shape.unchecked<string>()),
});

describe('a shape', () => {
  it('is a plain JSON Schema, with its keywords in their order: documents show it as it is', () => {
    expect(JSON.stringify(shape.titled('A person', person))).toBe(
      JSON.stringify({
        title: 'A person',
        type: 'object',
        additionalProperties: false,
        required: ['name', 'roles', 'since'],
        properties: {
          name: { type: 'string', minLength: 1 },
          kind: { enum: ['user', 'service'] },
          roles: { type: 'array', items: { type: 'string' }, maxItems: 3 },
          of: { type: ['string', 'null'] },
        },
      }),
    );
  });

  it('has the type of what passes it', () => {
    expectTypeOf<TypeOf<typeof person>>().toEqualTypeOf<{
      name: string;
      kind?: 'user' | 'service';
      roles: string[];
      of?: string | null;
      since: Date;
      note?: string;
    }>();
  });

  it('says nothing of required members and of properties where there are none', () => {
    expect(shape.closed({})).toEqual({ type: 'object', additionalProperties: false });
    expect(shape.object({ by: shape.optional(shape.flag) })).toEqual({ type: 'object', properties: { by: { type: 'boolean' } } });
  });

  it('keeps a member that is called as its own words are', () => {
    const odd = shape.object({ optional: shape.text(), type: shape.constant(1) });
    expect(odd).toEqual({
      type: 'object',
      required: ['optional', 'type'],
      properties: { optional: { type: 'string' }, type: { const: 1 } },
    });
  });
});
