import { TerminalError } from '@windlass/foundation';
import { buildCsar, rebuildCsar, type BuiltCsar, type VnfPackage } from '@windlass/vnf-package';
import type { Command } from 'commander';
import { mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { readAsOnboarding } from '../packages/as-onboarding.js';
import type { Surroundings } from '../config.js';
import { print } from './follow-task.js';

interface PackOptions {
  check?: boolean;
  output?: string;
}

/** `./windlass vnf pack`: what an author does before anything is uploaded. No server is asked. */
export function addPack(vnf: Command, where: Surroundings): void {
  vnf
    .command('pack <package>')
    .description(
      'make the zip of a package: a folder, or a zip to be made anew. The same files make the same bytes. Hashes in TOSCA.meta and the manifest become those of the files (in the folder, too). Then the package is read as onboarding reads it: what it would refuse ends the command with 1 and nothing is written, what it would warn of is printed',
    )
    .option('--output <file>', 'the zip; by default <folder>.zip, or <zip>-packed.zip, where the command is called')
    .option('--check', 'write nothing, and take the hashes as they are')
    .addHelpText(
      'after',
      '\nWhat only a server knows is not looked at: which management drivers are registered, how large a package may be, whether another has the same VNFD id, and what lies behind the URLs of artifacts.',
    )
    .action(async (path: string, options: PackOptions) => {
      for await (const line of pack(resolve(where.calledFrom, path), options, where.calledFrom)) print(line);
    });
}

/** Packs, and says what there is to say. @throws TerminalError `package.refused` where onboarding would refuse the package */
async function* pack(path: string, { check = false, output }: PackOptions, calledFrom: string): AsyncGenerator<string> {
  const isFolder = await isDirectory(path);
  const name = basename(path);
  const target = resolve(calledFrom, output ?? (isFolder ? `${name}.zip` : `${name.replace(/\.(zip|csar)$/i, '')}-packed.zip`));
  if (target === path)
    throw new TerminalError('package.build-failed', `${path} is what is packed: name another file by --output`);
  // Beside the zip to be: it is renamed when all is well.
  const folder = await mkdtemp(join(check ? tmpdir() : dirname(target), '.windlass-pack-'));
  try {
    const made = join(folder, 'package.zip');
    const built = await (isFolder ? buildCsar : rebuildCsar)(path, made, { asItLies: check });
    const { model, warnings } = await readAsOnboarding(made, hashHint(check));
    if (!check) {
      if (isFolder) for (const [member, text] of built.texts) await writeFile(join(path, member), text);
      await rename(made, target);
    }
    yield* told(built, warnings);
    const flavours = model.flavours.map(({ id }) => id).join(', ');
    yield `${model.productName} ${model.softwareVersion}, VNFD ${model.vnfdId}, flavours ${flavours}`;
    yield check ? 'nothing would be refused' : `${target}: ${built.members.length} files, SHA-256 ${built.sha256}`;
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

function* told({ renewed, unsigned }: BuiltCsar, warnings: VnfPackage['warnings']): Generator<string> {
  yield* renewalLines(renewed);
  for (const file of unsigned) yield `warning: ${file} is signed, and has changed: sign it again`;
  for (const { subject, reason, code } of warnings) yield `warning: ${subject}: ${reason} (${code})`;
}

/** One a hash that was another one. */
export const renewalLines = (renewed: BuiltCsar['renewed']): string[] =>
  renewed.map(({ file, line, member }) => `renewed: ${file}, line ${line}: the hash of ${member}`);
