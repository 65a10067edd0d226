import { spawnSync } from 'node:child_process';
import { parseFlags, UsageError, type Flags, type FlagSpecs } from '../cli/flags.js';
import { ExitError, runProgram, type Io } from '../cli/program.js';
import { humanDuration } from '../api-server/tables/cells.js';
import { CONTAINERD_SOCKET, ContainerRuntime } from '../cri/container-runtime.js';
import { readIfThere } from '../host/files.js';
import { stringAt } from '../kube/object.js';
import { normalizedImage } from '../kubelet/images.js';
import { STATE_FILE, type PodState } from '../kubelet/state-file.js';
import { standinVersion } from '../programs.js';

const GLOBAL: FlagSpecs = {
  'runtime-endpoint': { kind: 'string', short: 'r', usage: 'Endpoint of CRI container runtime service' },
  'image-endpoint': { kind: 'string', short: 'i', usage: 'Endpoint of CRI image manager service' },
  config: { kind: 'string', short: 'c', default: '/etc/crictl.yaml', usage: 'Location of the client config file' },
  timeout: { kind: 'string', short: 't', usage: 'Timeout of connecting to the server' },
  help: { kind: 'bool', short: 'h', usage: 'show help' },
};

const LISTING: FlagSpecs = {
  all: { kind: 'bool', short: 'a', usage: 'Show all' },
  name: { kind: 'string', usage: 'filter by name regular expression pattern' },
  namespace: { kind: 'string', usage: 'filter by namespace of the pod' },
  pod: { kind: 'string', short: 'p', usage: 'Filter by pod id' },
  quiet: { kind: 'bool', short: 'q', usage: 'Only display IDs' },
  output: { kind: 'string', short: 'o', usage: 'Output format, one of: json|table' },
  state: { kind: 'string', short: 's', usage: 'Filter by state' },
};

/** The commands that are here, each with its flags. */
const COMMANDS: Readonly<Record<string, { flags: FlagSpecs; run(flags: Flags, io: Io, endpoint: string): Promise<number> }>> = {
  exec: {
    flags: {
      interactive: { kind: 'bool', short: 'i', usage: 'Keep STDIN open' },
      tty: { kind: 'bool', short: 't', usage: 'Allocate a pseudo-TTY' },
    },
    run: exec,
  },
  images: { flags: { quiet: LISTING.quiet ?? { kind: 'bool', usage: '' } }, run: images },
  info: { flags: {}, run: info },
  pods: { flags: LISTING, run: pods },
  ps: { flags: LISTING, run: ps },
  pull: { flags: { creds: { kind: 'string', usage: 'USERNAME[:PASSWORD] for accessing the registry' } }, run: pull },
  version: { flags: {}, run: version },
};

/** `crictl`, the windlass-lab stand-in: asks the real container runtime, and the kubelet stand-in for the pods that only look as if they ran. */
async function main(args: string[], io: Io): Promise<number> {
  const at = firstCommand(args);
  const name = at < 0 ? '' : (args[at] ?? '');
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  try {
    const global = parseFlags(GLOBAL, at < 0 ? args : args.slice(0, at));
    if (name === '' || global.bool('help')) {
      io.out(
        `crictl: the windlass-lab stand-in for crictl ${standinVersion('crictl')}\n\nCommands: ${Object.keys(COMMANDS).join(', ')}\n`,
      );
      return 0;
    }
    if (command === undefined)
      throw new ExitError(1, `No help topic for '${name}' (windlass-lab stand-in: ${Object.keys(COMMANDS).join(', ')})`);
    const flags = name === 'exec' ? parseExec(args.slice(at + 1)) : parseFlags(command.flags, args.slice(at + 1));
    return await command.run(flags, io, await endpointOf(global));
  } catch (error) {
    if (error instanceof UsageError) throw new ExitError(1, error.message);
    throw error;
  }
}

/** Global flags with a value stand before the command. */
function firstCommand(args: readonly string[]): number {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (!arg.startsWith('-')) return at;
    if (!arg.includes('=') && /^(-r|-i|-c|-t|--runtime-endpoint|--image-endpoint|--config|--timeout)$/.test(arg)) at++;
  }
  return -1;
}

/** What follows the container's id belongs to the command in it. */
function parseExec(args: string[]): Flags {
  const at = args.findIndex((arg) => !arg.startsWith('-'));
  const head = at < 0 ? args : args.slice(0, at);
  const tail = at < 0 ? [] : args.slice(at).filter((arg, index) => !(index === 1 && arg === '--'));
  return parseFlags(COMMANDS.exec?.flags ?? {}, [...head, '--', ...tail]);
}

async function endpointOf(global: Flags): Promise<string> {
  if (global.given('runtime-endpoint')) return global.string('runtime-endpoint');
  const file = await readIfThere(global.string('config'));
  if (file === undefined) return CONTAINERD_SOCKET;
  const { parse } = await import('yaml');
  return stringAt(parse(file), 'runtime-endpoint') ?? CONTAINERD_SOCKET;
}

async function withRuntime<T>(endpoint: string, use: (runtime: ContainerRuntime) => Promise<T>): Promise<T> {
  const runtime = new ContainerRuntime(endpoint);
  try {
    return await use(runtime);
  } catch (error) {
    throw new ExitError(
      1,
      `FATA[0000] validate service connection: validate CRI v1 runtime API for endpoint "${endpoint}": ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    runtime.close();
  }
}

const podStates = async (): Promise<PodState[]> => JSON.parse((await readIfThere(STATE_FILE)) ?? '[]') as PodState[];

function table(io: Io, rows: string[][]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((cells) => (cells[column] ?? '').length))) ?? [];
  for (const cells of rows)
    io.out(
      `${cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd()}\n`,
    );
}

const age = (time: string): string => (time === '' ? '' : `${humanDuration((Date.now() - Date.parse(time)) / 1_000)} ago`);

function matches(flags: Flags, pod: PodState, name: string): boolean {
  const named = !flags.given('name') || new RegExp(flags.string('name')).test(name);
  const inNamespace = !flags.given('namespace') || new RegExp(flags.string('namespace')).test(pod.namespace);
  return named && inNamespace && (!flags.given('pod') || pod.id.startsWith(flags.string('pod')));
}

async function ps(flags: Flags, io: Io): Promise<number> {
  const found = (await podStates()).flatMap((pod) =>
    pod.containers
      .filter((entry) => matches(flags, pod, entry.name) && (entry.running || flags.bool('all')))
      .map((entry) => ({ pod, entry })),
  );
  if (flags.bool('quiet')) for (const { entry } of found) io.out(`${entry.id}\n`);
  else if (flags.string('output') === 'json')
    io.out(`${JSON.stringify({ containers: found.map(({ pod, entry }) => containerDocument(pod, entry)) }, undefined, 2)}\n`);
  else {
    const rows = found.map(({ pod, entry }) => [
      entry.id.slice(0, 13),
      entry.image,
      age(entry.startedAt),
      entry.running ? 'Running' : 'Exited',
      entry.name,
      String(entry.restarts),
      pod.id.slice(0, 13),
      pod.name,
      pod.namespace,
    ]);
    table(io, [['CONTAINER', 'IMAGE', 'CREATED', 'STATE', 'NAME', 'ATTEMPT', 'POD ID', 'POD', 'NAMESPACE'], ...rows]);
  }
  return 0;
}

const containerDocument = (pod: PodState, { id, name, image, running, restarts }: PodState['containers'][number]): object => ({
  id,
  podSandboxId: pod.id,
  metadata: { name, attempt: restarts },
  image: { image },
  state: running ? 'CONTAINER_RUNNING' : 'CONTAINER_EXITED',
  labels: {
    'io.kubernetes.container.name': name,
    'io.kubernetes.pod.name': pod.name,
    'io.kubernetes.pod.namespace': pod.namespace,
  },
});

async function pods(flags: Flags, io: Io): Promise<number> {
  const found = (await podStates()).filter((pod) => matches(flags, pod, pod.name));
  if (flags.bool('quiet')) for (const { id } of found) io.out(`${id}\n`);
  else if (flags.string('output') === 'json')
    io.out(
      `${JSON.stringify({ items: found.map(({ id, name, namespace, createdAt }) => ({ id, metadata: { name, namespace, attempt: 0 }, state: 'SANDBOX_READY', createdAt })) }, undefined, 2)}\n`,
    );
  else
    table(io, [
      ['POD ID', 'CREATED', 'STATE', 'NAME', 'NAMESPACE'],
      ...found.map(({ id, createdAt, name, namespace }) => [id.slice(0, 13), age(createdAt), 'Ready', name, namespace]),
    ]);
  return 0;
}

/** Only etcd's container has something to run in: etcdctl, on the same host with the same files. */
async function exec(flags: Flags, io: Io): Promise<number> {
  const [id = '', ...command] = flags.positional;
  const container = (await podStates()).flatMap((pod) => pod.containers).find((entry) => id !== '' && entry.id.startsWith(id));
  if (container === undefined) throw new ExitError(1, `FATA[0000] execing command in container: container "${id}" not found`);
  const [program = '', ...rest] = command[0] === 'sh' && command[1] === '-c' ? ['/bin/sh', ...command.slice(1)] : command;
  const allowed = program === 'etcdctl' || (program === '/bin/sh' && rest.join(' ').includes('etcdctl'));
  if (container.name !== 'etcd' || !allowed) {
    throw new ExitError(
      1,
      `FATA[0000] execing command in container: the windlass-lab stand-in runs no containers; etcdctl in etcd's is all there is`,
    );
  }
  const result = spawnSync(program, rest, {
    stdio: ['inherit', 'pipe', 'pipe'],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ETCDCTL_API: '3' },
    encoding: 'utf8',
  });
  io.out(result.stdout);
  io.err(result.stderr);
  return result.status ?? 1;
}

function info(_: Flags, io: Io, endpoint: string): Promise<number> {
  return withRuntime(endpoint, async (runtime) => {
    const { conditions, config } = await runtime.status();
    io.out(`${JSON.stringify({ status: { conditions }, config }, undefined, 2)}\n`);
    return 0;
  });
}

function version(_: Flags, io: Io, endpoint: string): Promise<number> {
  return withRuntime(endpoint, async (runtime) => {
    const found = await runtime.version();
    io.out(`Version:  0.1.0\nRuntimeName:  ${found.name}\nRuntimeVersion:  ${found.version}\nRuntimeApiVersion:  v1\n`);
    return 0;
  });
}

async function pull(flags: Flags, io: Io, endpoint: string): Promise<number> {
  const [image] = flags.positional;
  if (image === undefined || flags.positional.length > 1) throw new ExitError(1, 'FATA[0000] pulling image: image is required');
  const [username = '', password = ''] = flags.string('creds').split(/:(.*)/s);
  const reference = await withRuntime(endpoint, (runtime) =>
    runtime.pullImage(normalizedImage(image), username === '' ? undefined : { username, password }),
  );
  io.out(`Image is up to date for ${reference}\n`);
  return 0;
}

function images(flags: Flags, io: Io, endpoint: string): Promise<number> {
  return withRuntime(endpoint, async (runtime) => {
    const inPods = (await podStates()).flatMap((pod) => pod.containers.map(({ image }) => normalizedImage(image)));
    const all = [...new Set([...inPods, ...(await runtime.imageTags())])].sort();
    if (flags.bool('quiet')) for (const image of all) io.out(`${image}\n`);
    else
      table(io, [
        ['IMAGE', 'TAG'],
        ...all.map((image) => [image.slice(0, image.lastIndexOf(':')), image.slice(image.lastIndexOf(':') + 1)]),
      ]);
    return 0;
  });
}

void runProgram(main);
