import type { Command } from 'commander';
import { resolve } from 'node:path';
import type { Surroundings } from '../surroundings/config.js';
import type { PackOptions } from '../packages/pack.js';
import { print } from './follow-task.js';

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
      const { pack } = await import('../packages/pack.js');
      for await (const line of pack(resolve(where.calledFrom, path), options, where.calledFrom)) print(line);
    });
}
