// Of JSON Schema, what the messages to and from drivers are made of.

export const text = { type: 'string', minLength: 1, maxLength: 1024 } as const;
export const object = { type: 'object' } as const;
export const list = (items: object) => ({ type: 'array', items, maxItems: 10_000 }) as const;
