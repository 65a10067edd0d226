import { strFromU8, unzipSync } from 'fflate';

/** Bytes that a text may have, and texts that are read: the VNFD of a package has a few files of some kilobytes. */
const MOST_BYTES = 1024 * 1024;
const MOST_FILES = 100;

/** Ways of packing that zips of VNFDs have: none, and deflate. */
const METHODS = [0, 8];

/**
 * The texts in a zip whose names are wanted, by their names. What is longer than a megabyte, beyond a hundred, or packed in another way, is left out.
 * The zip is one that the API has made.
 * @throws Error for what is no zip
 */
export function textsInZip(bytes: Uint8Array, isWanted: (name: string) => boolean): Map<string, string> {
  let left = MOST_FILES;
  const files = unzipSync(bytes, {
    filter: ({ name, originalSize, compression }) =>
      METHODS.includes(compression) && originalSize <= MOST_BYTES && isWanted(name) && left-- > 0,
  });
  return new Map(Object.entries(files).map(([name, file]) => [name, strFromU8(file)]));
}
