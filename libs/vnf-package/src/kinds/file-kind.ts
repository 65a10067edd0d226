import { constants, gunzipSync } from 'node:zlib';
import { readExactly, type CsarSource } from '../source/csar-source.js';
import { YANG_XML } from './descriptor-kind.js';

/** As much of a file as is looked at, and of what it inflates to. */
const HEAD_BYTES = 65_536;
const INFLATED_BYTES = 1_048_576;

const ZIP = 'a VNF package is a zip (CSAR, SOL004)';

const MEC = 'a MEC application descriptor (MEC 010-2)';
const SOL006 = 'a descriptor by SOL006 (YANG), not by SOL001 (TOSCA)';

const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [/^\xfd7zXZ/, 'an archive of xz'],
  [/^7z\xbc\xaf/, 'an archive of 7-Zip'],
  [/^Rar!/, 'an archive of RAR'],
  [/^BZh/, 'an archive of bzip2'],
  [/^QFI\xfb/, 'a qcow2 image'],
  [/^%PDF/, 'a PDF'],
  [/^\x7fELF/, 'a program'],
  [/^-----BEGIN (?:CMS|PKCS7)/, 'a signature: send the .csar that it is of, or a zip with both'],
  [/^-----BEGIN CERTIFICATE/, 'a certificate'],
  [/^\s*<(?:!doctype html|html)/i, 'a web page, as a server sends it for a login or an error: look where the file came from'],
  [/^(?:\s|#[^\n]*\n|---)*heat_template_version/, 'a plain Heat template: put it into BaseHOT/<flavour>/ of a package'],
  [
    /^(?:\s|#[^\n]*\n|---)*tosca_definitions_version/,
    'a TOSCA file by itself: zip it, with what it imports and TOSCA-Metadata/TOSCA.meta',
  ],
  [/^(?:\s|#[^\n]*\n|---)*(?:apiVersion|kind):/, 'a manifest of Kubernetes'],
  [/^\s*\{[^]{0,2000}?"(?:appDId|appSoftVersion|mecVersion)"\s*:/, `${MEC}, in JSON`],
  [/^\s*\{\s*"(?:etsi-nfv-[a-z-]+:[a-z-]+|(?:nfv|vnfd|nsd):(?:nfv|vnfd|nsd)|nfv|vnfd)"\s*:/, `${SOL006}, in JSON`],
  [YANG_XML, `${SOL006}, in XML`],
  [/^(?:\s|#[^\n]*\n|---)*(?:etsi-nfv-[a-z-]+:[a-z-]+|(?:nfv|vnfd|nsd):(?:nfv|vnfd|nsd)|nfv|vnfd):/, `${SOL006}, in YAML`],
  [/^(?:\s|#[^\n]*\n|---)*(?:appDId|mecVersion):/, `${MEC}, in YAML`],
  [/^\s*[{[]/, 'JSON'],
];

/** What a file is that is no zip, as far as its beginning says it; undefined where it says nothing. */
export async function otherFileKind(source: CsarSource): Promise<string | undefined> {
  const head = await readExactly(source, 0, Math.min(HEAD_BYTES, source.size));
  const what = archiveKind(head) ?? BEGINNINGS.find(([begins]) => begins.test(head.toString('latin1')))?.[1];
  return what === undefined ? undefined : `this is ${what}; ${ZIP}`;
}

function archiveKind(head: Buffer): string | undefined {
  if (head[0] !== 0x1f || head[1] !== 0x8b) return isTar(head) ? `${tarKind(head)} (tar)` : undefined;
  const inside = inflated(head);
  return inside !== undefined && isTar(inside) ? `${tarKind(inside)} (.tar.gz)` : 'a file compressed by gzip';
}

function inflated(head: Buffer): Buffer | undefined {
  try {
    return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: INFLATED_BYTES });
  } catch {
    return undefined; // more than is looked at, or no gzip after all: then its first two bytes are what is known
  }
}

const TAR_BLOCK = 512;
const isTar = (bytes: Buffer): boolean => bytes.subarray(257, 262).toString('latin1') === 'ustar';

/** By the names of the first files in it. */
function tarKind(bytes: Buffer): string {
  const names: string[] = [];
  for (let at = 0; at + TAR_BLOCK <= bytes.length && isTar(bytes.subarray(at));) {
    const header = bytes.subarray(at, at + TAR_BLOCK);
    names.push(header.subarray(0, 100).toString('utf8').split('\0', 1)[0] ?? '');
    const size = Number.parseInt(header.subarray(124, 136).toString('latin1'), 8) || 0;
    at += TAR_BLOCK + Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
  }
  return namesKind(names) ?? 'an archive of tar';
}

/** What the names of an archive's files tell of it; undefined where they tell nothing. */
export function namesKind(names: readonly string[]): string | undefined {
  const any = (pattern: RegExp) => names.some((name) => pattern.test(name));
  if (any(/(^|\/)Chart\.yaml$/)) return 'a Helm chart';
  if (
    any(/(^|\/)[^/]*_?(?:vnfd|nsd|nst)\.ya?ml$/) &&
    (any(/(^|\/)checksums\.txt$/) || any(/(^|\/)(?:cloud_init|charms|icons|juju-charms)\//))
  )
    return 'an OSM package';
  if (any(/(^|\/)[^/]*_(?:vnfd|nsd|nst)\.ya?ml$/)) return 'an OSM package';
  if (any(/(^|\/)manifest\.json$/) && any(/(^|\/)layer\.tar$|(^|\/)blobs\//)) return 'a container image';
  return undefined;
}
