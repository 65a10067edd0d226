import { Buffer } from 'node:buffer';

/** Letters only, so that ids are in the order of their making however they are spelled. */
const DIGITS = 26;

let made = 0;

/** What is random in a run is counted instead, so that one run is like another: a member of a group that was made first sorts first. */
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
