import { shape, type Members, type OfMembers, type Shape } from '@windlass/foundation';
import type { InputSchema } from '@windlass/saga';

// What inputs of steps are made of, in the part of JSON Schema that plans are compared with. Plans come from strangers, so everything is bounded.

/** A name of something, or an id. */
export const name = shape.text({ minLength: 1, maxLength: 255 });

/** A secret, which may be written as a number. */
export const secret = shape.of<string | number>({ type: ['string', 'number'] });

/** A path on a machine or in a package. */
export const path = shape.text({ minLength: 1, maxLength: 1_024 });

/** An IPv4 address or a name of a host. */
export const hostName = shape.text({ minLength: 1, maxLength: 253 });

/** An object of these members and no others. */
export const exactly = <M extends Members>(members: M): Shape<OfMembers<M>> => ({
  ...shape.object(members),
  additionalProperties: false,
});

/** What an action takes, for its contract. */
export const inputSchema = (input: Shape<unknown>): InputSchema => input as InputSchema;
