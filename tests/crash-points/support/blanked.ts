/** The things in an order that does not depend on when they were made. */
export const sorted = (things: unknown[]): unknown[] =>
  things
    .map((thing) => JSON.stringify(thing))
    .sort()
    .map((text) => JSON.parse(text) as unknown);

const BLANKS: [RegExp, string][] = [
  [/\b(?!3f32428d-)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<id>'],
  [/\b[0-9a-f]{32,64}\b/g, '<hex>'],
  [/\b[a-z2-7]{12}\b/g, '<short>'],
  // Heat shortens long names from the left.
  [/\bvn-[a-z2-7]+(?=-)/g, 'vn-<short>'],
  // The status of a stack that was changed and changed back is another than that of a new stack.
  [/\b(CREATE|UPDATE)_COMPLETE\b/g, 'COMPLETE'],
  [/\bfa:16:3e(:[0-9a-f]{2}){3}\b/g, '<mac>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?/g, '<time>'],
  [/http:\/\/127\.0\.0\.1:\d+/g, '<vim>'],
];

/** A value without random ids, times and MAC addresses, which differ in each run. */
export const blank = (value: unknown): unknown =>
  JSON.parse(BLANKS.reduce((text, [pattern, by]) => text.replaceAll(pattern, by), JSON.stringify(value ?? null))) as unknown;

/** The VNFC's id in the id of a driver's step, which is made of the server's id. */
const OF_A_VNFC = /(?<=_(start|end)\/[a-z-]+:)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** A step's id, or a text with such ids, made equal in each run. */
export const withoutVnfcId = (text: string): string => text.replaceAll(OF_A_VNFC, '<id>');
