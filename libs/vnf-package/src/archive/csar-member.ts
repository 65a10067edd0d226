/** One file of a package. Directories are no members. */
export interface CsarMember {
  /** Relative path with forward slashes, checked by `safeMemberName`. */
  readonly name: string;
  /** Bytes when inflated, as the directory of the zip says; reading a member proves it. */
  readonly size: number;
  readonly compressedSize: number;
  readonly deflated: boolean;
  readonly crc32: number;
  /** Unix permission bits, 0 where the zip has none. Kept for whoever asks; nothing here ever extracts to a disk. */
  readonly mode: number;
}
