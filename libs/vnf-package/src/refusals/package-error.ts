import { maskUrlUser, WindlassError } from '@windlass/foundation';

/** Every way a package is refused. Stable: tests, clients and runbooks name them. */
export type PackageErrorCode =
  | 'csar.malformed'
  | 'csar.too-large'
  | 'csar.too-many-members'
  | 'csar.member-name'
  | 'csar.duplicate-member'
  | 'csar.special-file'
  | 'csar.encrypted'
  | 'csar.compression-method'
  | 'csar.overlapping-members'
  | 'csar.member-too-large'
  | 'csar.total-too-large'
  | 'csar.compression-ratio'
  | 'csar.size-mismatch'
  | 'csar.corrupt'
  | 'csar.member-absent'
  | 'csar.too-costly'
  | 'csar.no-entry-definitions'
  | 'csar.envelope'
  | 'package.other-kind'
  | 'package.unsigned'
  | 'package.signature-wrong'
  | 'package.signer-unknown'
  | 'package.certificate-expired'
  | 'package.not-covered'
  | 'text.not-utf8'
  | 'text.nul'
  | 'meta.malformed'
  | 'meta.incomplete-block'
  | 'meta.unknown-algorithm'
  | 'meta.hash-mismatch'
  | 'meta.remote-source'
  | 'meta.manifest-name'
  | 'yaml.too-large'
  | 'yaml.too-deep'
  | 'yaml.expansion'
  | 'yaml.malformed'
  | 'yaml.several-documents'
  | 'vnfd.import-absent'
  | 'vnfd.import-refused'
  | 'vnfd.too-many-files'
  | 'vnfd.no-vnf-node'
  | 'vnfd.no-flavour'
  | 'vnfd.invalid'
  | 'vnfd.too-large'
  | 'vnfd.not-translatable'
  | 'base-hot.invalid'
  | 'base-hot.file-absent'
  | 'user-data.import-absent'
  | 'user-data.malformed';

/**
 * A VNF package is refused. The message is `<member>: <reason>`; the package returns to CREATED and whoever reads it gets
 * these words. Status 422: the request was understood, its content is not a package we can onboard.
 */
export class PackageError extends WindlassError {
  override readonly code: PackageErrorCode;
  /** The member of the archive at fault, in a form that is safe to print; undefined where the archive itself is. */
  readonly member: string | undefined;
  /** The message without the member. */
  readonly reason: string;
  /** Of several obstacles: each of them. */
  readonly parts: readonly PackageError[] | undefined;

  constructor(
    code: PackageErrorCode,
    given: string,
    details: { member?: string; cause?: unknown; parts?: readonly PackageError[] } = {},
  ) {
    const most = details.parts === undefined ? MAX_REASON_LENGTH : MAX_REASONS_LENGTH;
    const reason = given.length > most ? `${shortened(given, most)}...` : given;
    const member = details.member === undefined ? undefined : printableName(maskUrlUser(details.member));
    super(code, member === undefined ? reason : `${member}: ${reason}`, {
      status: 422,
      title: 'VNF package refused',
      ...(details.cause === undefined ? {} : { cause: details.cause }),
    });
    this.code = code;
    this.member = member;
    this.reason = reason;
    this.parts = details.parts;
  }
}

/** Something a package's author should know of, that does not stop it from being onboarded. */
export interface PackageWarning {
  /** Stable, dotted: `base-hot.group-size`. */
  code: string;
  /** The member or the place in the VNFD it is about. */
  subject: string;
  reason: string;
}

const MAX_PRINTED_NAME_LENGTH = 200;

/** Characters of a reason: it may quote what the package says. */
const MAX_REASON_LENGTH = 2_000;

/** Characters of the reasons of several obstacles. */
const MAX_REASONS_LENGTH = 10_000;

/** A member's name for a message: control characters escaped, and no longer than a line of a log should be. */
export function printableName(name: string): string {
  const visible = Array.from(name, (character) => (isControl(character) ? escaped(character) : character)).join('');
  return visible.length > MAX_PRINTED_NAME_LENGTH ? `${shortened(visible, MAX_PRINTED_NAME_LENGTH)}...` : visible;
}

/** The beginning of a text, and no half of a character: PostgreSQL holds none. */
const shortened = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, '');

/** True for C0 and C1 controls, DEL, the line and paragraph separators, and the characters that turn a text's direction. */
export function isControl(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return (
    code < 0x20 || (code >= 0x7f && code <= 0x9f) || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)
  );
}

const escaped = (character: string): string => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
