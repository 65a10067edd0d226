import { join, resolve } from 'node:path';
import type { Surroundings } from '../surroundings/config.js';

/** The data folder that is named, or the usual one. */
export const dataDirOf = ({ cache, calledFrom }: Surroundings, data: string | undefined): string =>
  data === undefined ? join(cache, 'data') : resolve(calledFrom, data);
