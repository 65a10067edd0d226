import { Command } from 'commander';
import type { Surroundings } from './config.js';

/** Commands that ask a running Windlass and need little else, each with the module that it lies in. */
const ALONE: Readonly<Record<string, (where: Surroundings) => Promise<Command>>> = {
  vnf: async (where) => (await import('./commands/vnf.js')).vnfCommand(where),
  package: async (where) => (await import('./commands/package.js')).packageCommand(where),
  op: async (where) => (await import('./commands/op.js')).opCommand(where),
  vim: async (where) => (await import('./commands/vim.js')).vimCommand(where),
  subsc: async (where) => (await import('./commands/subsc.js')).subscCommand(where),
  down: async (where) => (await import('./commands/down.js')).downCommand(where),
};

/** The names of the commands that are loaded alone. */
export const LOADED_ALONE: readonly string[] = Object.keys(ALONE);

/** The program without any command. */
export const emptyProgram = (): Command =>
  new Command('windlass')
    .description('Windlass, a VNF manager: SOL003 over NestJS services, NATS JetStream and PostgreSQL')
    .showHelpAfterError();

/**
 * The command line with the one command that is called, where that can be loaded alone; else the whole.
 * @param words what it is called with
 */
export async function programOf(words: readonly string[], where: Surroundings, whole: () => Promise<Command>): Promise<Command> {
  const [name = ''] = words;
  const load = Object.hasOwn(ALONE, name) ? ALONE[name] : undefined;
  return load === undefined ? whole() : emptyProgram().addCommand(await load(where));
}
