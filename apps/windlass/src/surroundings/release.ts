import { readFileSync } from 'node:fs';

/** The release of the product, as its package says. */
export const RELEASE: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
