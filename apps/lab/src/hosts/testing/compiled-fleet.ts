import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { run } from '../command.js';
import type { MachineSpec } from '../../machine-fleet.js';

const LAB = fileURLToPath(new URL('../../../', import.meta.url));
const FOUNDATION = fileURLToPath(new URL('../../../../../libs/foundation/src/', import.meta.url));

/** Starts a fleet, boots what it is told, says so, and then waits to be killed. */
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

/** Says why this machine can't carry VMs, or that it can. */
const CHECK = `
import { requireCapableMachine } from './apps/lab/src/hosts/machine-check.js';
console.log(await requireCapableMachine().then(() => 'capable', (error) => error.code + ': ' + error.message));
`;

/** A fleet in a process of its own, which can be killed. */
export async function spawnFleet(dataDir: string, cacheDir: string, machines: MachineSpec[]): Promise<ChildProcess> {
  const folder = await compiledHosts(PARK);
  const child = spawn(process.execPath, [path.join(folder, 'main.js'), JSON.stringify({ dataDir, cacheDir, machines })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', () => resolve('exit'));
  });
  await rm(folder, { recursive: true });
  if (line !== 'up') throw new Error(`the park in a process of its own ended early: ${line}`);
  return child;
}

/** The check of the machine as a program of its own, to be run below others that take rights away. */
export async function compiledCheck(): Promise<{
  below: (wrapper: readonly string[]) => Promise<string>;
  remove: () => Promise<void>;
}> {
  const folder = await compiledHosts(CHECK);
  return {
    below: async (wrapper) => {
      const [file, ...args] = [...wrapper, process.execPath, path.join(folder, 'main.js')];
      return (await run(file, args)).trim();
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

/** The sources as they are now, compiled file by file, so that a process of its own needs no build; with a main program. */
async function compiledHosts(main: string): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'windlass-compiled-'));
  await chmod(folder, 0o755);
  await compile(path.join(LAB, 'src/hosts'), path.join(folder, 'apps/lab/src/hosts'));
  await symlink(path.join(LAB, 'assets'), path.join(folder, 'apps/lab/assets'));
  const foundation = path.join(folder, 'node_modules/@windlass/foundation');
  await compile(FOUNDATION, foundation);
  await writeFile(path.join(foundation, 'package.json'), '{"type":"module","exports":"./index.js"}');
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(path.join(folder, 'main.js'), main);
  return folder;
}

async function compile(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 };
  for (const name of (await readdir(from)).filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))) {
    const { outputText } = ts.transpileModule(await readFile(path.join(from, name), 'utf8'), { compilerOptions: options });
    await writeFile(path.join(to, name.replace(/\.ts$/, '.js')), outputText);
  }
}
