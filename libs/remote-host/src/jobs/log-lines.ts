import type { Masker } from '../output/masker.js';

/** A line longer than this is passed on in pieces. */
export const MAX_LINE_LENGTH = 16 * 1024;

/** Of what is looked through for secrets, to show {@link MAX_LENGTH} of it. */
const MAX_MASKED_LENGTH = 64 * 1024;

/** More of it is not looked at for ten lines of 200 characters. */
const MAX_LENGTH = 2_000;

/** The last lines of standard error, or of standard output where there is none; for a message. */
export function lastLines(stderr: string, stdout: string): string {
  const text = stderr.trim() === '' ? stdout.trim() : stderr.trim();
  if (text === '') return 'it printed nothing';
  return `it printed at last:\n${text.slice(-MAX_LENGTH).split('\n').slice(-10).join('\n')}`;
}

/** A text whose beginning is missing, masked. Its first line goes: half a secret would not be recognised. */
export function maskedAfterCut(masker: Masker, text: string): string {
  const newline = text.indexOf('\n');
  return masker.mask(text.slice(newline >= 0 && newline < MAX_LINE_LENGTH ? newline + 1 : masker.longest));
}

/** The end of a text, masked: more than {@link lastLines} shows. */
export const maskedEnd = (masker: Masker, text: string): string =>
  text.length <= MAX_MASKED_LENGTH ? masker.mask(text) : maskedAfterCut(masker, text.slice(-MAX_MASKED_LENGTH));
