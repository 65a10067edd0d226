import { RequestError } from '@windlass/foundation';

/** Bytes of the headers of one part, and of a part that is no file: more than clients send by far. */
const HEADER_BYTES = 8_192;
const PART_BYTES = 65_536;
const MAX_PARTS = 32;

/** The boundary of a form, as its media type gives it. @throws RequestError 400 `request.form` */
export function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^;\s"]{1,70}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary !== undefined) return boundary;
  throw wrongForm('its Content-Type has no boundary: let the client make it');
}

const wrongForm = (reason: string): RequestError =>
  new RequestError(400, 'request.form', `the form is wrong: ${reason}; or send the zip itself as application/zip`);

/**
 * The one file of a form (RFC 7578), as it comes: what clients made of ETSI's OpenAPI files send as the content of a package. Parts that are no file
 * are passed over.
 * @throws RequestError 400 `request.form` for a form without a file, with two, or that is cut off
 */
export async function* fileOfForm(bytes: AsyncIterable<Uint8Array>, boundary: string): AsyncGenerator<Uint8Array> {
  const reader = new FormReader(bytes, boundary);
  let files = 0;
  await reader.skip(); // what stands before the first part is nobody's
  for (let parts = 0; ; parts += 1) {
    const headers = await reader.headers();
    if (headers === undefined) break;
    if (parts >= MAX_PARTS) throw wrongForm(`it has more than ${MAX_PARTS} parts`);
    if (!isFile(headers)) {
      await reader.skip();
      continue;
    }
    if (/^content-transfer-encoding:\s*(?:base64|quoted-printable)/im.test(headers))
      throw wrongForm('its file is encoded: send its bytes as they are');
    files += 1;
    if (files > 1) throw wrongForm('it has two files: send one, the package');
    yield* reader.content();
  }
  if (files === 0) throw wrongForm('it has no file: send the package as the part "file"');
}

const isFile = (headers: string): boolean =>
  /^content-disposition:.*;\s*(?:filename\*?=|name="?file"?\s*(?:;|$))/im.test(headers);

class FormReader {
  readonly #bytes: AsyncIterator<Uint8Array>;
  readonly #delimiter: Buffer;
  /** The first boundary has no line end before it. */
  #held = Buffer.from('\r\n');

  constructor(bytes: AsyncIterable<Uint8Array>, boundary: string) {
    this.#bytes = bytes[Symbol.asyncIterator]();
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  }

  /** The bytes up to the next boundary, which is taken away. */
  async *content(): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.#held.indexOf(this.#delimiter);
      // Without a boundary in sight, the last bytes may be the beginning of one.
      const known = at < 0 ? Math.max(0, this.#held.length - this.#delimiter.length + 1) : at;
      const part = this.#held.subarray(0, known);
      this.#held = this.#held.subarray(at < 0 ? known : at + this.#delimiter.length);
      if (part.length > 0) yield part;
      if (at >= 0) return;
      await this.#more();
    }
  }

  /** Passes over what is short. */
  async skip(): Promise<void> {
    let size = 0;
    for await (const part of this.content()) {
      size += part.length;
      if (size > PART_BYTES) throw wrongForm(`a part that is no file has more than ${PART_BYTES} bytes`);
    }
  }

  /** Those of the part that begins here; undefined at the form's end. */
  async headers(): Promise<string | undefined> {
    while (this.#held.length < 2) await this.#more();
    if (this.#held.subarray(0, 2).toString('latin1') === '--') return undefined;
    for (;;) {
      const end = this.#held.indexOf('\r\n\r\n');
      if (end >= 0) {
        const headers = this.#held.subarray(0, end).toString('utf8');
        this.#held = this.#held.subarray(end + 4);
        return headers;
      }
      if (this.#held.length > HEADER_BYTES) throw wrongForm(`the headers of a part have more than ${HEADER_BYTES} bytes`);
      await this.#more();
    }
  }

  async #more(): Promise<void> {
    const next = await this.#bytes.next();
    if (next.done === true) throw wrongForm('it ends before its last boundary');
    this.#held = Buffer.concat([this.#held, next.value]);
  }
}
