import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { surroundings, windlassProgram, type UpProgram } from '@windlass/windlass';
import { CommanderError, type Command } from 'commander';
import { describe, expect, it } from 'vitest';

const DOCS = join(import.meta.dirname, '../../docs');

const pages = ['guides', 'runbooks'].flatMap((folder) =>
  readdirSync(join(DOCS, folder)).map((file) => [`${folder}/${file}`, readFileSync(join(DOCS, folder, file), 'utf8')] as const),
);

/** Guides of Kubernetes clusters that Windlass deploys. */
const CLUSTER_GUIDES = /^guides\/(kubernetes-.*|external-load-balancer|private-registries)\.md$/;

/** Of the workbench, which shows, tests and measures the product. */
const OF_THE_WORKBENCH = ['demo', 'lab', 'test', 'bench', 'check-defaults'];

/** As `./windlass` has it: with a lab. */
const UP: UpProgram = {
  program: '',
  bringLab: () => Promise.reject(new Error('nothing is brought up')),
  labKubernetes: ['stand-in'],
};

const blocksOf = (page: string): string[] => [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
const inlineIn = (page: string): string[] =>
  [...page.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);

/** A word as a shell has it, or a placeholder; and what ends a command. */
const WORD = /\s*(?:("[^"]*"|'[^']*'|<[^<>]*>|\[[^[\]]*\]|\$\([^()]*\)|[^\s|;&#()<>"'`[\]])+|([|;&#()<>\n]))/y;

/** The words of each `./windlass` command in a text. What is in brackets may be left out, and is. */
function commandsIn(text: string): string[][] {
  return [...text.matchAll(/\.\/windlass /g)].map(({ index }) => {
    const words: string[] = [];
    WORD.lastIndex = index + './windlass'.length;
    for (let found = WORD.exec(text); found?.[2] === undefined && found !== null; found = WORD.exec(text)) {
      const word = found[0].trim();
      if (!word.startsWith('[')) words.push(word);
      if (/^[^\S\n]*\n/.test(text.slice(WORD.lastIndex))) break;
    }
    return words;
  });
}

/** What the command line would refuse a command for; undefined for none. @param whole false: it is named, and its operands may be missing */
function wrongWith(words: readonly string[], whole: boolean): string | undefined {
  let command: Command = windlassProgram(surroundings({}), UP);
  let left = [...words];
  for (let next = found(command, left[0]); next !== undefined; next = found(command, left[0])) {
    command = next;
    left = left.slice(1);
  }
  if (OF_THE_WORKBENCH.includes(left[0] ?? '') && command.parent === null) return undefined;
  const isGroup = command.commands.length > 0 && command.options.length === 0;
  if (isGroup && (whole || left.length > 0)) return `there is no command ${words.join(' ')}`;
  command.exitOverride().configureOutput({ writeErr: () => undefined });
  try {
    const { operands, unknown } = command.parseOptions(left);
    const option = unknown.find((each) => each !== '--help');
    if (option !== undefined) return `${words.join(' ')}: there is no option ${option}`;
    return wrongOperands(command, operands.length, whole) ? `${words.join(' ')}: its operands are not those` : undefined;
  } catch (error) {
    if (error instanceof CommanderError) return `${words.join(' ')}: ${error.message}`;
    throw error;
  }
}

const found = (command: Command, word: string | undefined): Command | undefined =>
  command.commands.find((each) => each.name() === word);

function wrongOperands({ registeredArguments: all }: Command, given: number, whole: boolean): boolean {
  const most = all.some(({ variadic }) => variadic) ? Number.POSITIVE_INFINITY : all.length;
  return given > most || (whole && given < all.filter(({ required }) => required).length);
}

describe('a ./windlass command of a guide or a runbook', () => {
  it('is read as a shell would, and one that is wrong is found', () => {
    expect(commandsIn('A=$(./windlass vnf create x y | jq .id)\n./windlass vnf heal $ID --cause "is dead"   # why\n')).toEqual([
      ['vnf', 'create', 'x', 'y'],
      ['vnf', 'heal', '$ID', '--cause', '"is dead"'],
    ]);
    const wrong = ['vnf heel <id>', 'vnf heal <id> --no-such', 'vnf scale <id>', 'vnf operate <id> pause --vnfc'];
    for (const words of wrong) expect(wrongWith(words.split(' '), true), words).toBeDefined();
    for (const words of ['vnf heal <id> --every-vm', 'vnf scale <id> x --in'])
      expect(wrongWith(words.split(' '), true)).toBe(undefined);
  });

  it.each(pages)('is one that the command line takes: %s', (_name, page) => {
    const inBlocks = blocksOf(page).flatMap(commandsIn).map((words) => wrongWith(words, true)); // prettier-ignore
    const named = inlineIn(page).flatMap(commandsIn).map((words) => wrongWith(words, false)); // prettier-ignore
    expect([...inBlocks, ...named].filter((each) => each !== undefined)).toEqual([]);
  });
});

describe('a guide of a Kubernetes cluster', () => {
  const guides = pages.filter(([name]) => CLUSTER_GUIDES.test(name));

  it.each(guides)('says how one gets in, and has the commands of its operations: %s', (_name, page) => {
    expect(commandsIn(page).filter(([, verb]) => verb === 'kubeconfig')).not.toEqual([]);
    const asked = blocksOf(page).flatMap(commandsIn).map(([, verb]) => verb ?? ''); // prettier-ignore
    expect(asked.filter((verb) => ['instantiate', 'scale', 'heal', 'terminate'].includes(verb))).not.toEqual([]);
  });
});
