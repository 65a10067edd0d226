import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
import { UsageError, parseFlags, type Flags, type FlagSpecs } from '../cli/flags.js';
import { ExitError, type Io } from '../cli/program.js';
import { namesIn, readIfThere } from '../host/files.js';
import { isActive } from '../host/systemd.js';
import { STATIC_STATE, unitOf } from '../kubelet/static-pods.js';

/** What runs here in the place of a container: a static pod's program, as a service. */
interface Container {
  id: string;
  /** The pod's, and its only container's. */
  name: string;
}

/** Of the label that every container of a pod has; static pods are of one namespace here. */
const NAMESPACE = 'io.kubernetes.pod.namespace=kube-system';

export const PS_FLAGS: FlagSpecs = {
  quiet: { kind: 'bool', short: 'q', usage: 'Only display container IDs' },
  state: { kind: 'string', short: 's', usage: 'Filter by container state' },
  name: { kind: 'string', usage: 'Filter by container name regular expression pattern' },
  label: { kind: 'strings', usage: 'Filter by key=value label' },
};

/** Those that run; a service that ended has no container here. */
async function containers(): Promise<Container[]> {
  const found: Container[] = [];
  for (const name of await namesIn(STATIC_STATE)) {
    if (!(await isActive(unitOf(name)))) continue;
    const id = createHash('sha256')
      .update(`${name} ${(await readIfThere(`${STATIC_STATE}/${name}`)) ?? ''}`)
      .digest('hex');
    found.push({ id, name });
  }
  return found;
}

/** `crictl ps --quiet`: the ids alone. */
export async function ps(flags: Flags, io: Io): Promise<number> {
  if (!flags.bool('quiet')) throw new ExitError(1, 'crictl ps without --quiet: not in the windlass-lab stand-in');
  const state = flags.string('state');
  if (state !== '' && !/^(created|running|exited|unknown)$/i.test(state))
    throw new ExitError(1, `FATA[0000] --state should be one of created, running, exited or unknown`);
  const labels = flags.strings('label');
  const broken = labels.find((label) => !label.includes('='));
  if (broken !== undefined) throw new ExitError(1, `FATA[0000] incorrectly specified label: ${broken}`);
  if (state !== '' && state.toLowerCase() !== 'running') return 0;
  const name = new RegExp(flags.string('name'));
  const all = labels.every((label) => label === NAMESPACE) ? await containers() : [];
  for (const container of all.filter((each) => name.test(each.name))) io.out(`${container.id}\n`);
  return 0;
}

/** Programs in the images that somebody runs in a container. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = { etcd: ['etcdctl'] };

/** Flags end where the container is named: what follows is the command's. */
const EXEC_FLAGS: FlagSpecs = {};

/** `crictl exec ID COMMAND`: runs the program on the machine, where the container's would run. */
export async function exec(args: readonly string[], io: Io): Promise<number> {
  const at = args.findIndex((arg) => !arg.startsWith('-'));
  try {
    parseFlags(EXEC_FLAGS, at < 0 ? args : args.slice(0, at));
  } catch (error) {
    if (error instanceof UsageError) throw new ExitError(1, `${error.message} (windlass-lab stand-in: none)`);
    throw error;
  }
  const [id = '', program, ...rest] = at < 0 ? [] : args.slice(at);
  if (program === undefined) throw new ExitError(1, 'NAME:\n   crictl exec - Run a command in a running container');
  const container = (await containers()).find((each) => id !== '' && each.id.startsWith(id));
  const fatal = (why: string): ExitError => new ExitError(1, `FATA[0000] execing command in container ${id}: ${why}`);
  if (container === undefined)
    throw fatal(`rpc error: code = NotFound desc = an error occurred when try to find container "${id}": not found`);
  if (PROGRAMS[container.name]?.includes(program) !== true) throw fatal(`exec: "${program}": executable file not found in $PATH`);
  const status = await new Promise<number>((resolve, reject) => {
    const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (chunk: Buffer) => io.out(chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => io.err(chunk.toString()));
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  if (status !== 0) throw fatal(`command terminated with exit code ${status}`);
  return 0;
}
