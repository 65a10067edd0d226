import { shape, type Shape } from '@windlass/foundation';

// Of what the messages to and from drivers are made.

const bounds = { minLength: 1, maxLength: 1024 } as const;

/** A text that is not empty. */
export const name = shape.text(bounds);

/** A text that is not empty; the code reads some texts alone, which the schema does not list. */
export const text = <T extends string>(): Shape<T> => shape.of<T>(name);

/** An object that the schema says no more of. */
export const object = shape.anObject;

/** A list of at most 10,000 items. */
export const list = <T>(items: Shape<T>): Shape<T[]> => shape.list({ items, maxItems: 10_000 });
