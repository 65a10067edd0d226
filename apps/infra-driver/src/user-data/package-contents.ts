import { TerminalError } from '@windlass/foundation';
import type { ScriptFile } from '@windlass/lifecycle';
import { createHash } from 'node:crypto';
import type { PackageReader } from '../actions/infra-context.js';

/** A script is at most as large as this. */
const MAX_SCRIPT_BYTES = 1024 * 1024;

/** Files of a package, each held to the hash that it was onboarded with. @throws TerminalError `package.changed`, `package.file-too-large` */
export async function packageContents(
  packages: PackageReader,
  vnfPkgId: string,
  files: readonly ScriptFile[],
  signal: AbortSignal,
): Promise<Map<string, Buffer>> {
  const contents = new Map<string, Buffer>();
  for (const file of files) {
    if (file.size > MAX_SCRIPT_BYTES)
      throw new TerminalError(
        'package.file-too-large',
        `${file.path} has ${file.size} bytes; a script has at most ${MAX_SCRIPT_BYTES}`,
      );
    const parts: Buffer[] = [];
    for await (const part of (await packages.open(vnfPkgId, file.path, signal)).bytes()) parts.push(part as Buffer);
    const bytes = Buffer.concat(parts);
    const found = createHash('sha256').update(bytes).digest('hex');
    if (found !== file.sha256.toLowerCase())
      throw new TerminalError(
        'package.changed',
        `${file.path} of the package has the SHA-256 ${found}; ${file.sha256} was planned with`,
      );
    contents.set(file.path, bytes);
  }
  return contents;
}
