import { RequestError } from '@windlass/foundation';
import busboy from 'busboy';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Limits in bytes: of a part that is no file, and of everything outside the file. Clients send far less. */
const PART_BYTES = 65_536;
const OUTSIDE_BYTES = 1_048_576;
const MAX_PARTS = 32;

const wrongForm = (reason: string): RequestError =>
  new RequestError(400, 'request.form', `the form is wrong: ${reason}; or send the zip itself as application/zip`);

/** What busboy says of a form, in words that say what to do. */
const REASONS: Readonly<Record<string, string>> = {
  'Malformed part header': 'the headers of a part are no headers, or have more than 16384 bytes',
  'Unexpected end of form': 'it ends before its last boundary',
  'Unexpected end of file': 'it ends before its last boundary',
};

/**
 * The single file of a form (RFC 7578), as it arrives: clients generated from ETSI's OpenAPI files send a package so. Other parts are ignored. No
 * more than some kilobytes are held at a time.
 * @param contentType of the request, which has the form's boundary
 * @throws RequestError 400 `request.form` for a form without a file, with two, or that is cut off
 */
export function fileOfForm(bytes: AsyncIterable<Uint8Array>, contentType: string): AsyncGenerator<Uint8Array> {
  return fileOf(bytes, parserFor(contentType));
}

/** @throws RequestError 400 `request.form` for a media type that has no boundary */
function parserFor(contentType: string): busboy.Busboy {
  try {
    const limits = { fieldSize: PART_BYTES + 1, parts: MAX_PARTS + 1 };
    // latin1 keeps a field's bytes as they are, for the part "file" of a client that gives no file name.
    return busboy({ headers: { 'content-type': contentType }, limits, defCharset: 'latin1' });
  } catch {
    throw wrongForm('its Content-Type has no boundary: let the client make it');
  }
}

async function* fileOf(bytes: AsyncIterable<Uint8Array>, form: busboy.Busboy): AsyncGenerator<Uint8Array> {
  const content = new PassThrough();
  let files = 0;
  let inFile = false;
  const refuse = (reason: string) => void form.destroy(wrongForm(reason));
  const mayTake = (encoding: string): boolean => {
    files += 1;
    if (files > 1) refuse('it has two files: send one, the package');
    else if (['base64', 'quoted-printable'].includes(encoding)) refuse('its file is encoded: send its bytes as they are');
    return !form.destroyed;
  };

  form.on('file', (_, file, { encoding }) => {
    inFile = true;
    file.on('error', () => undefined); // the form's own error is told
    file.on('end', () => (inFile = false));
    if (mayTake(encoding)) file.pipe(content, { end: false });
  });
  form.on('field', (name, value, { encoding, valueTruncated }) => {
    const long = `has more than ${PART_BYTES} bytes`;
    if (valueTruncated && name === 'file') refuse(`its part "file" names no file and ${long}: send it with a filename`);
    else if (valueTruncated) refuse(`a part that is no file ${long}`);
    else if (name === 'file' && mayTake(encoding)) content.write(Buffer.from(value, 'latin1'));
  });
  form.on('partsLimit', () => refuse(`it has more than ${MAX_PARTS} parts`));

  async function* looked() {
    let outside = 0;
    for await (const piece of bytes) {
      if (!inFile) outside += piece.length;
      if (outside > OUTSIDE_BYTES) throw wrongForm(`more than ${OUTSIDE_BYTES} bytes stand outside its file`);
      yield piece;
    }
  }
  pipeline(Readable.from(looked(), { objectMode: false }), form).then(
    () => (files === 0 ? content.destroy(wrongForm('it has no file: send the package as the part "file"')) : content.end()),
    (cause: unknown) => content.destroy(told(cause)),
  );
  try {
    yield* content as AsyncIterable<Uint8Array>;
  } finally {
    form.destroy();
  }
}

function told(cause: unknown): Error {
  const error = cause instanceof Error ? cause : new Error(String(cause));
  const reason = REASONS[error.message];
  return reason === undefined ? error : wrongForm(reason);
}
