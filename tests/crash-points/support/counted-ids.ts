import { Buffer } from 'node:buffer';

/** Ids have letters only, and so sort in the order in which they were made. */
const DIGITS = 26;

let made = 0;

/** Counts in the place of randomness, so that runs are alike: the first member of a group sorts first. */
export const countedIds = {
  randomUUID: (): string => `${digitsOf(8)}-0000-4000-8000-${digitsOf(12)}`,
  randomBytes: (size: number): Buffer => {
    made += 1;
    const bytes = Buffer.alloc(size);
    for (let at = size - 1, left = made; at >= 0; at--, left = Math.floor(left / DIGITS)) bytes.writeUInt8(left % DIGITS, at);
    return bytes;
  },
};

const digitsOf = (length: number): string => {
  made += 1;
  return made.toString(16).padStart(length, '0');
};
