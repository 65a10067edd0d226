/** Bytes that a text may have, and texts that are read: the VNFD of a package has a few files of some kilobytes. */
const MOST_BYTES = 1024 * 1024;
const MOST_FILES = 100;

const ENTRY = 0x02014b50;
const END = 0x06054b50;
/** The end's record may be followed by a comment of so many bytes. */
const LAST = 22 + 0xffff;

/**
 * The texts in a zip whose names are wanted, by their names. What is longer than a megabyte, beyond a hundred, or packed in a way that zips of VNFDs are not, is left out.
 * @throws Error for what is no zip
 */
export async function textsInZip(
  bytes: Uint8Array<ArrayBuffer>,
  isWanted: (name: string) => boolean,
): Promise<Map<string, string>> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= 0 && end > bytes.length - LAST && view.getUint32(end, true) !== END) end--;
  if (end < 0 || view.getUint32(end, true) !== END) throw new Error('this is no zip');
  const texts = new Map<string, string>();
  let at = view.getUint32(end + 16, true);
  while (at + 46 <= end && view.getUint32(at, true) === ENTRY && texts.size < MOST_FILES) {
    const [method, size, nameLength] = [
      view.getUint16(at + 10, true),
      view.getUint32(at + 20, true),
      view.getUint16(at + 28, true),
    ];
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength));
    const local = view.getUint32(at + 42, true);
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (!isWanted(name) || local + 30 > bytes.length || (method !== 0 && method !== 8)) continue;
    const begin = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const text = await textOf(bytes.subarray(begin, begin + size), method === 8);
    if (text !== undefined) texts.set(name, text);
  }
  return texts;
}

/** Undefined for what is too long. */
async function textOf(packed: Uint8Array<ArrayBuffer>, isDeflated: boolean): Promise<string | undefined> {
  const stream = new Blob([packed]).stream();
  const reader = (isDeflated ? stream.pipeThrough(new DecompressionStream('deflate-raw')) : stream).getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let length = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.length;
    if (length > MOST_BYTES) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}
