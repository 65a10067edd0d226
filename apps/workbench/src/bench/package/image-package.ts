import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { InvariantError } from '@windlass/foundation';
import { ZipFile } from 'yazl';
import { imageBytes } from './image-bytes.js';

/** The package that is made larger, and the image and the file of it that says what the image must be. */
const SAMPLE = 'samples/simple-vm';
const IMAGE = 'Files/images/ubuntu-22.04-server-cloudimg-amd64.img';
const FLAVOUR = 'Definitions/simple_vm_df_default.yaml';

/** Members of this size and more need the larger form of a zip's directory, which has to be known beforehand. */
const ZIP64_FROM = 2 ** 32 - 1;

/**
 * Writes `samples/simple-vm` with a deflated image of another size. Nothing of the image is held.
 * @param imageSize in bytes
 * @returns bytes of the zip
 */
export async function writeImagePackage(home: string, imageSize: number, file: string): Promise<number> {
  const zip = new ZipFile();
  const output = Readable.from(zip.outputStream, { objectMode: false });
  zip.on('error', (error: Error) => output.destroy(error));
  const written = pipeline(output, createWriteStream(file));
  const hash = createHash('sha512');
  const image = Readable.from(hashed(imageBytes(imageSize), hash), { objectMode: false });
  zip.addReadStream(image, IMAGE, { compress: true, forceZip64Format: imageSize >= ZIP64_FROM });
  try {
    await Promise.race([finished(image), written]);
    for (const [name, content] of await otherMembers(join(home, SAMPLE)))
      zip.addBuffer(Buffer.from(name === FLAVOUR ? describing(content, imageSize, hash.digest('hex')) : content), name);
    zip.end();
  } catch (error) {
    output.destroy();
    await written.catch(() => undefined); // the error is thrown below
    throw error;
  }
  await written;
  return (await stat(file)).size;
}

function* hashed(blocks: Iterable<Buffer>, hash: ReturnType<typeof createHash>): Generator<Buffer> {
  for (const block of blocks) {
    hash.update(block);
    yield block;
  }
}

async function otherMembers(folder: string): Promise<[name: string, content: string][]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  return Promise.all(
    names
      .filter((name) => name !== IMAGE)
      .map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as [string, string]),
  );
}

/** The flavour with the image's size and SHA-512. */
function describing(flavour: string, size: number, sha512: string): string {
  const described = flavour.replace(/hash: [0-9a-f]{128}/, `hash: ${sha512}`).replace(/size: 64 KiB/, `size: ${size} B`);
  if (!described.includes(sha512) || !described.includes(`size: ${size} B`))
    throw new InvariantError(`${FLAVOUR} of ${SAMPLE} does not say the image's hash and size as this bench expects`);
  return described;
}
