import type { PackageFiles } from '../files/package-files.js';

/** The files of a package in memory, by their paths; another one fails what asks for it. */
export function packagesOf(files: Readonly<Record<string, string | Buffer>>): PackageFiles {
  const bytesOf = (path: string): Buffer => {
    const content = files[path];
    if (content === undefined) throw new Error(`the bench has no file ${path}`);
    return Buffer.from(content);
  };
  return {
    read: ({ path }) => Promise.resolve(path).then(bytesOf),
    // eslint-disable-next-line @typescript-eslint/require-await -- as the real one, it comes bit by bit
    stream: async function* ({ path }) {
      yield bytesOf(path);
    },
  };
}
