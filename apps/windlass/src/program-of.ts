import { Command } from 'commander';
import type { Surroundings } from './surroundings/config.js';

/** Commands by their names, each loaded when it is called. What a command does is loaded when it does it: a module of a command declares it, and no more. */
export type CommandsAlone = Readonly<Record<string, (where: Surroundings) => Promise<Command>>>;

/** Commands that ask a running Windlass and need little else, each with the module that it lies in. */
const ALONE: CommandsAlone = {
  vnf: async (where) => (await import('./commands/vnf.js')).vnfCommand(where),
  package: async (where) => (await import('./commands/package.js')).packageCommand(where),
  op: async (where) => (await import('./commands/op.js')).opCommand(where),
  vim: async (where) => (await import('./commands/vim.js')).vimCommand(where),
  driver: async (where) => (await import('./commands/driver.js')).driverCommand(where),
  subsc: async (where) => (await import('./commands/subsc.js')).subscCommand(where),
  down: async (where) => (await import('./commands/down.js')).downCommand(where),
};

/** `up` of the product, which brings no lab. */
export const PRODUCT_UP: CommandsAlone = { up: async (where) => (await import('./commands/up.js')).upCommand(where) };

/** The names of the commands that are loaded alone. */
export const LOADED_ALONE: readonly string[] = [...Object.keys(ALONE), ...Object.keys(PRODUCT_UP)];

/** The program without any command. */
export const emptyProgram = (): Command =>
  new Command('windlass')
    .description('Windlass, a VNF manager: SOL003 over NestJS services, NATS JetStream and PostgreSQL')
    .showHelpAfterError();

/**
 * The command line with the one command that is called, where that can be loaded alone; else the whole.
 * @param words what it is called with
 * @param more commands beside those that ask a running Windlass, as the program has them
 */
export async function programOf(
  words: readonly string[],
  where: Surroundings,
  whole: () => Promise<Command>,
  more: CommandsAlone = PRODUCT_UP,
): Promise<Command> {
  const [name = ''] = words;
  const alone = { ...ALONE, ...more };
  const load = Object.hasOwn(alone, name) ? alone[name] : undefined;
  return load === undefined ? whole() : emptyProgram().addCommand(await load(where));
}
