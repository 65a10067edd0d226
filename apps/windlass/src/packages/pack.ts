import { TerminalError } from '@windlass/foundation';
import { buildCsar, rebuildCsar, type BuiltCsar, type VnfPackage } from '@windlass/vnf-package';
import { mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { readAsOnboarding } from './as-onboarding.js';

export { buildCsar } from '@windlass/vnf-package';

/** How a package is packed. */
export interface PackOptions {
  check?: boolean;
  output?: string;
}

/** Packs, and says what there is to say. @throws TerminalError `package.refused` where onboarding would refuse the package */
export async function* pack(path: string, { check = false, output }: PackOptions, calledFrom: string): AsyncGenerator<string> {
  const isFolder = await isDirectory(path);
  const name = basename(path);
  const target = resolve(calledFrom, output ?? (isFolder ? `${name}.zip` : `${name.replace(/\.(zip|csar)$/i, '')}-packed.zip`));
  if (target === path)
    throw new TerminalError('package.build-failed', `${path} is what is packed: name another file by --output`);
  if (check && !isFolder) {
    // As it is: what lies around a package, its signature and what a desktop put beside it, would not be in one that is made anew.
    const read = await readAsOnboarding(path, hashHint(check));
    yield* told({ renewed: [], unsigned: [] }, read.warnings);
    yield* verdict(read);
    return;
  }
  // Beside the zip to be: it is renamed when all is well.
  const folder = await mkdtemp(join(check ? tmpdir() : dirname(target), '.windlass-pack-'));
  try {
    const made = join(folder, 'package.zip');
    const built = await (isFolder ? buildCsar : rebuildCsar)(path, made, { asItLies: check });
    const read = await readAsOnboarding(made, hashHint(check));
    if (!check) {
      if (isFolder) for (const [member, text] of built.texts) await writeFile(join(path, member), text);
      await rename(made, target);
    }
    yield* told(built, read.warnings);
    yield* verdict(read, check ? undefined : `${target}: ${built.members.length} files, SHA-256 ${built.sha256}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function isDirectory(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new TerminalError('package.build-failed', `there is no ${path}: name a folder or a zip`);
  return found.isDirectory();
}

/** What goes away by itself where the hashes may be made anew. */
const hashHint =
  (check: boolean) =>
  (code: string): string =>
    check && code === 'meta.hash-mismatch' ? '; without --check the hashes are renewed' : '';

/** What it is, and what was made; without that, that it was looked at alone. */
function* verdict({ model }: VnfPackage, made = 'nothing would be refused'): Generator<string> {
  const flavours = model.flavours.map(({ id }) => id).join(', ');
  yield `${model.productName} ${model.softwareVersion}, VNFD ${model.vnfdId}, flavours ${flavours}`;
  yield made;
}

function* told(
  { renewed, unsigned }: Pick<BuiltCsar, 'renewed' | 'unsigned'>,
  warnings: VnfPackage['warnings'],
): Generator<string> {
  yield* renewalLines(renewed);
  for (const file of unsigned) yield `warning: ${file} is signed, and has changed: sign it again`;
  for (const { subject, reason, code } of warnings) yield `warning: ${subject}: ${reason} (${code})`;
}

/** One a hash that was another one. */
export const renewalLines = (renewed: BuiltCsar['renewed']): string[] =>
  renewed.map(({ file, line, member }) => `renewed: ${file}, line ${line}: the hash of ${member}`);
