import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { run } from '../../debian/command.js';
import type { MachineSpec } from '../../machine-fleet.js';

const HOME = fileURLToPath(new URL('../../../../../', import.meta.url));
/** The program's place in the lab's folder, from which the hosts find their assets. */
const PROGRAM = 'src/hosts/main.js';

/** A program that starts a fleet, boots machines, prints a line, and then waits to be killed. */
const PARK = `
import { HostFleet } from './apps/lab/src/hosts/host-fleet.js';
const { dataDir, cacheDir, machines } = JSON.parse(process.argv[2]);
const fleet = await HostFleet.start({ dataDir, cacheDir, standins: [], log: () => undefined });
const subnet = fleet.network.gateway.replace(/\\d+$/, '');
for (const machine of machines) {
  const nics = machine.nics.map((nic) => ({ ...nic, address: nic.address.replace(/^.*\\./, subnet) }));
  await fleet.boot({ ...machine, nics });
  await fleet.ready(machine.serverId);
}
console.log('up');
`;

/** A program that prints whether this machine can carry VMs, or why not. */
const CHECK = `
import { requireCapableMachine } from './apps/lab/src/hosts/machine-check.js';
console.log(await requireCapableMachine().then(() => 'capable', (error) => error.code + ': ' + error.message));
`;

/** Starts a fleet in its own process, which a test can kill. */
export async function spawnFleet(dataDir: string, cacheDir: string, machines: MachineSpec[]): Promise<ChildProcess> {
  const folder = await compiledHosts(PARK);
  const child = spawn(
    process.execPath,
    [path.join(folder, 'apps/lab', PROGRAM), JSON.stringify({ dataDir, cacheDir, machines })],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const line = await new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', () => resolve('exit'));
  });
  await rm(folder, { recursive: true });
  if (line !== 'up') throw new Error(`the park in a process of its own ended early: ${line}`);
  return child;
}

/** Compiles the check of the machine into a program, to be run under others that take rights away. */
export async function compiledCheck(): Promise<{
  below: (wrapper: readonly string[]) => Promise<string>;
  remove: () => Promise<void>;
}> {
  const folder = await compiledHosts(CHECK);
  return {
    below: async (wrapper) => {
      const [file, ...args] = [...wrapper, process.execPath, path.join(folder, 'apps/lab', PROGRAM)];
      return (await run(file, args)).trim();
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

/** Compiles a main text with its imported sources into one program. Returns the program's path. */
export async function compiledProgram(main: string): Promise<{ file: string; remove: () => Promise<void> }> {
  const folder = await compiledHosts(main);
  return { file: path.join(folder, 'apps/lab', PROGRAM), remove: () => rm(folder, { recursive: true }) };
}

/** Bundles a main program with the present sources, so that its process needs no build. */
async function compiledHosts(main: string): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'windlass-compiled-'));
  await chmod(folder, 0o755);
  const lab = path.join(folder, 'apps/lab');
  await build({
    stdin: { contents: main, loader: 'ts', resolveDir: HOME },
    outfile: path.join(lab, PROGRAM),
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@windlass/source'],
    // esbuild has a program of its own, which a bundle can't hold; the fleet makes no stand-ins.
    external: ['esbuild'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'silent',
  });
  await symlink(path.join(HOME, 'apps/lab/assets'), path.join(lab, 'assets'));
  await symlink(path.join(HOME, 'node_modules'), path.join(folder, 'node_modules'));
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  return folder;
}
