import { SIGNATURE_LABELS } from './pem.js';
import { SIGNATURE_BYTES } from './trusted-signers.js';
import { describeBytes } from '../refusals/limits.js';
import { PackageError } from '../refusals/package-error.js';

/** A manifest and the signature at its end. */
export interface SignedManifest {
  /** The block, in PEM. */
  cms: Buffer;
  /**
   * What may have been signed of it: all before the block, with the line's end that came with the block or without, with its line ends or with those
   * that `openssl cms -sign` makes of them unless it is told `-binary`. All of them are the same text to who reads a manifest.
   */
  contents: Buffer[];
}

const BEGIN = '-----BEGIN ';

/**
 * The signature of a manifest (SOL004 4.3.2); undefined where it carries none.
 * @throws PackageError `package.signature-wrong` for one that is no whole block, is too large, or is not the last of the manifest
 */
export function manifestSignature(bytes: Buffer, file: string): SignedManifest | undefined {
  const text = bytes.toString('latin1');
  const found = /(?:^|[\r\n])-----BEGIN /.exec(text);
  if (found === null) return undefined;
  const at = found.index + found[0].length - BEGIN.length;
  return { cms: blockOf(text.slice(at), file), contents: signable(text.slice(0, at)) };
}

function blockOf(rest: string, file: string): Buffer {
  const wrong = (reason: string) => new PackageError('package.signature-wrong', `its signature: ${reason}`, { member: file });
  const label = SIGNATURE_LABELS.find((each) => rest.startsWith(`${BEGIN}${each}-----`));
  const last = label === undefined ? '' : `-----END ${label}-----`;
  const end = label === undefined ? -1 : rest.indexOf(last);
  if (end < 0)
    throw wrong('expected "-----BEGIN CMS-----" to "-----END CMS-----", as "openssl cms -sign -outform PEM" makes them');
  const block = rest.slice(0, end + last.length);
  if (rest.slice(block.length).trim() !== '')
    throw wrong('something follows it: a manifest has one signature, over all of it, and ends there');
  // Base64 takes four bytes for three, and a line end every 64.
  if (block.length > SIGNATURE_BYTES * 1.5)
    throw wrong(`it is longer than the ${describeBytes(SIGNATURE_BYTES)} that are read of one`);
  return Buffer.from(block, 'latin1');
}

function signable(text: string): Buffer[] {
  const forms = [text, text.replace(/(?:\r\n|\r|\n)$/, '')];
  const all = [...forms, ...forms.map((form) => form.replace(/\r\n|\r|\n/g, '\r\n'))];
  return [...new Set(all)].map((form) => Buffer.from(form, 'latin1'));
}
