import { describeFlags, parseFlags, UsageError, type Flags } from '../../cli/flags.js';
import { ExitError, runProgram, type Io } from '../../cli/program.js';
import { KubeconfigError } from '../../client/kubeconfig.js';
import { Unreachable } from '../../client/kube-client.js';
import { DocumentError } from '../../documents/documents.js';
import { StatusError } from '../../kube/status-error.js';
import { standinVersion } from '../../programs.js';
import { certificateKey, configValidate, imagesList, imagesPull, printVersion, uploadCertsPhase } from './others.js';
import { tokenCreate, tokenDelete, tokenGenerate, tokenList } from './tokens.js';
import { COMMANDS } from '../flags.js';
import { runInit } from './init.js';
import { runJoin } from './join.js';
import { EXIT, failure, line } from '../output.js';
import { announce, runChecks } from '../preflight/check.js';
import { firstChecks, initChecks } from '../preflight/lists.js';
import { readInit } from '../read-init.js';
import { releasedVersion } from '../release-channel.js';
import { readJoin } from '../read-join.js';
import { readReset, runReset } from './reset.js';

type Run = (flags: Flags, io: Io) => Promise<void> | void;

const initOf = (flags: Flags, io: Io): ReturnType<typeof readInit> => {
  const own = standinVersion('kubeadm');
  return readInit(flags, own, (channel) => releasedVersion(channel, own, io));
};

/** @throws ExitError for what the real kubeadm does and the stand-in does not */
function carriedOut<Settings extends { lacking: string | undefined }>(settings: Settings): Settings {
  if (settings.lacking !== undefined) throw failure(`${settings.lacking}: not in the windlass-lab stand-in`);
  return settings;
}

const RUNS: Readonly<Record<string, Run>> = {
  init: async (flags, io) => runInit(carriedOut(await initOf(flags, io)), io),
  'init phase upload-certs': uploadCertsPhase,
  'init phase preflight': async (flags, io) => {
    const settings = carriedOut(await initOf(flags, io));
    announce(io);
    await runChecks(firstChecks, settings.node.ignorePreflightErrors, io);
    await runChecks(initChecks(settings), settings.node.ignorePreflightErrors, io);
  },
  join: async (flags, io) => runJoin(carriedOut(await readJoin(flags)), io),
  reset: async (flags, io) => runReset(await readReset(flags), io),
  'token create': tokenCreate,
  'token list': tokenList,
  'token delete': tokenDelete,
  'token generate': (_, io) => tokenGenerate(io),
  'certs certificate-key': (_, io) => certificateKey(io),
  'config images list': imagesList,
  'config images pull': imagesPull,
  'config validate': configValidate,
  version: printVersion,
};

/** Commands of the real kubeadm that the stand-in does not have. */
const ABSENT =
  /^(alpha|completion|kubeconfig|upgrade|certs (check-expiration|generate-csr|renew)|config (migrate|print)|init phase \S+|join phase|reset phase)/;

/** `kubeadm`, the windlass-lab stand-in. */
async function main(args: string[], io: Io): Promise<number> {
  const { name, rest } = commandOf(args);
  const command = COMMANDS[name];
  const run = RUNS[name];
  if (command === undefined || run === undefined) return refuse(args, io);
  let flags: Flags;
  try {
    flags = parseFlags(command.flags, rest);
  } catch (error) {
    if (error instanceof UsageError) throw failure(error.message);
    throw error;
  }
  if (flags.bool('help')) {
    line(
      io,
      `${command.summary}\n(this is the windlass-lab stand-in for kubeadm ${standinVersion('kubeadm')})\n\nUsage:\n  ${command.usage}\n\nFlags:\n${describeFlags(command.flags)}`,
    );
    return 0;
  }
  if (flags.given('rootfs')) throw failure('--rootfs: not in the windlass-lab stand-in');
  if (!TAKES_ARGUMENTS.has(name) && flags.positional.length > 0) {
    throw failure(`unknown command "${flags.positional[0] ?? ''}" for "kubeadm ${name}"`);
  }
  try {
    await run(flags, io);
  } catch (error) {
    throw isExpected(error) ? failure(error.message) : error;
  }
  return 0;
}

/** What the cluster or a file is to blame for; anything else is a bug here, and shows where. */
const isExpected = (error: unknown): error is Error =>
  [StatusError, Unreachable, KubeconfigError, DocumentError].some((type) => error instanceof type);

const TAKES_ARGUMENTS = new Set(['join', 'token create', 'token delete']);

/** The longest command at the head of the arguments; flags may not stand before it, but for the global ones without value. */
function commandOf(args: string[]): { name: string; rest: string[] } {
  for (let words = 3; words > 0; words--) {
    const name = args.slice(0, words).join(' ');
    if (Object.hasOwn(COMMANDS, name)) return { name, rest: args.slice(words) };
  }
  return { name: '', rest: args };
}

function refuse(args: string[], io: Io): number {
  const unknown = args.find((arg) => arg.startsWith('-') && !['--help', '-h'].includes(arg));
  if (unknown !== undefined && args[0] === unknown) throw failure(`unknown flag: ${unknown}`);
  const words = args.filter((arg) => !arg.startsWith('-')).join(' ');
  if (words === '' || args.includes('--help') || args.includes('-h')) {
    line(
      io,
      `kubeadm: easily bootstrap a secure Kubernetes cluster\n(this is the windlass-lab stand-in for kubeadm ${standinVersion('kubeadm')})\n\nAvailable Commands:`,
    );
    for (const [name, { summary }] of Object.entries(COMMANDS)) line(io, `  ${name.padEnd(26)}${summary}`);
    return 0;
  }
  if (ABSENT.test(words)) throw failure(`kubeadm ${words}: not in the windlass-lab stand-in`);
  throw failure(`unknown command "${args[0] ?? ''}" for "kubeadm"\nRun 'kubeadm --help' for usage.`);
}

/** Before 1.34 failures have three statuses; since then they have one, and are called errors. */
async function asOfItsRelease(args: string[], io: Io): Promise<number> {
  try {
    return await main(args, io);
  } catch (error) {
    const minor = Number(standinVersion('kubeadm').split('.')[1]);
    throw error instanceof ExitError && minor >= 34 ? new ExitError(EXIT.error, `error: ${error.message}`) : error;
  }
}

void runProgram(asOfItsRelease);
