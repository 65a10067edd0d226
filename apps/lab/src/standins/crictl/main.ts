import { parseFlags, UsageError, type Flags, type FlagSpecs } from '../cli/flags.js';
import { ExitError, runProgram, type Io } from '../cli/program.js';
import { CONTAINERD_SOCKET, ContainerRuntime } from '../cri/container-runtime.js';
import { readIfThere } from '../host/files.js';
import { stringAt } from '../kube/object.js';
import { normalizedImage } from '../kubelet/images.js';
import { standinVersion } from '../programs.js';
import { exec, ps, PS_FLAGS } from './containers.js';

const GLOBAL: FlagSpecs = {
  'runtime-endpoint': { kind: 'string', short: 'r', usage: 'Endpoint of CRI container runtime service' },
  'image-endpoint': { kind: 'string', short: 'i', usage: 'Endpoint of CRI image manager service' },
  config: { kind: 'string', short: 'c', default: '/etc/crictl.yaml', usage: 'Location of the client config file' },
  timeout: { kind: 'string', short: 't', usage: 'Timeout of connecting to the server' },
  help: { kind: 'bool', short: 'h', usage: 'show help' },
};

/** The commands that somebody asks for, each with its flags. */
const COMMANDS: Readonly<Record<string, { flags: FlagSpecs; run(flags: Flags, io: Io, endpoint: string): Promise<number> }>> = {
  info: { flags: {}, run: info },
  ps: {
    flags: PS_FLAGS,
    run: (flags, io, endpoint) => withRuntime(endpoint, (runtime) => runtime.version()).then(() => ps(flags, io)),
  },
  pull: { flags: { creds: { kind: 'string', usage: 'USERNAME[:PASSWORD] for accessing the registry' } }, run: pull },
};

/** `crictl`, the windlass-lab stand-in: asks the real container runtime. */
async function main(args: string[], io: Io): Promise<number> {
  const at = firstCommand(args);
  const name = at < 0 ? '' : (args[at] ?? '');
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  try {
    const global = parseFlags(GLOBAL, at < 0 ? args : args.slice(0, at));
    if (name === '' || global.bool('help')) {
      io.out(
        `crictl: the windlass-lab stand-in for crictl ${standinVersion('crictl')}\n\nCommands: ${Object.keys(COMMANDS).join(', ')}, exec\n`,
      );
      return 0;
    }
    if (name === 'exec') {
      const endpoint = await endpointOf(global);
      await withRuntime(endpoint, (runtime) => runtime.version());
      return await exec(args.slice(at + 1), io);
    }
    if (command === undefined)
      throw new ExitError(1, `No help topic for '${name}' (windlass-lab stand-in: ${Object.keys(COMMANDS).join(', ')}, exec)`);
    const flags = parseFlags(command.flags, args.slice(at + 1));
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

function info(_: Flags, io: Io, endpoint: string): Promise<number> {
  return withRuntime(endpoint, async (runtime) => {
    const { conditions, config } = await runtime.status();
    io.out(`${JSON.stringify({ status: { conditions }, config }, undefined, 2)}\n`);
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

void runProgram(main);
