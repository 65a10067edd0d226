import { spawn, type ChildProcess } from 'node:child_process';
import { open, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describeDuration, seconds, TerminalError } from '@windlass/foundation';
import { lastLines } from '../debian/command.js';
import { GUEST_ID_COUNT, GUEST_ROOT_ID } from '../debian/guest-ids.js';

const ASSETS = fileURLToPath(new URL('../../assets/hosts/', import.meta.url));
const STARTS_WITHIN = seconds(30);

export interface ProcessStart {
  /** The VM's folder: its disk, seed and console log, and what it starts with: see assets/hosts. */
  folder: string;
  /** Where the process that only waits for the VM goes, so that the guest's cgroup holds the guest alone. */
  outerCgroup: string;
  /** The id that its user namespace belongs to. */
  account: number;
  /** Folder with node. */
  node: string;
  /** Root layers, topmost first. */
  layers: readonly string[];
  /** Plugs the VM's network in, given process 1 of the VM. */
  wire: (pid: number) => Promise<void>;
}

/** How a VM ended. `reboot` and `poweroff` are what its own init asked the kernel for. */
export type ProcessEnd = 'reboot' | 'poweroff' | 'killed';

export interface MachineProcess {
  /** Process 1 of the VM, as this machine numbers it. */
  pid: number;
  ended: Promise<ProcessEnd>;
}

/**
 * Starts the process tree of a VM up to the instant when systemd takes over.
 * The conversation (descriptor 3 up, standard input down) is the one in assets/hosts/*.sh.
 * @throws TerminalError `lab.boot` with the end of the console log.
 */
export async function startProcess(start: ProcessStart): Promise<MachineProcess> {
  const outer = await spawnOuter(start);
  const heard = listenTo(outer, start.folder);
  await heard('unmapped');
  const outerPid = outer.pid ?? 0;
  await writeFile(`/proc/${outerPid}/uid_map`, `0 ${GUEST_ROOT_ID} ${GUEST_ID_COUNT}`);
  await writeFile(`/proc/${outerPid}/gid_map`, `0 ${GUEST_ROOT_ID} ${GUEST_ID_COUNT}`);
  outer.stdin?.write('mapped\n');
  await heard('wireless');
  const pid = Number((await readFile(`/proc/${outerPid}/task/${outerPid}/children`, 'utf8')).trim().split(' ')[0]);
  await writeFile(path.join(start.outerCgroup, 'cgroup.procs'), String(outerPid));
  await start.wire(pid);
  outer.stdin?.write('wired\n');
  await heard('starting');
  outer.stdin?.end();
  return { pid, ended: endOf(outer) };
}

async function spawnOuter(start: ProcessStart): Promise<ChildProcess> {
  const inside = await readFile(path.join(ASSETS, 'machine-inside.sh'), 'utf8');
  const script = path.join(ASSETS, 'machine-outside.sh');
  const console = await open(path.join(start.folder, 'console.log'), 'a', 0o600);
  try {
    const args = [script, start.folder, start.node, String(GUEST_ROOT_ID), String(start.account), inside, ...start.layers];
    const outer = spawn('unshare', ['--mount', '--propagation', 'private', '--', '/bin/sh', ...args], {
      stdio: ['pipe', console.fd, console.fd, 'pipe'],
      // Its own session: Ctrl-C at the lab's terminal is not for the VMs.
      detached: true,
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    });
    // A VM that dies early breaks the pipe; `listenTo` reports how it ended.
    outer.stdin?.on('error', () => undefined);
    return outer;
  } finally {
    await console.close();
  }
}

/** Waits for the word that the VM's scripts say next. */
function listenTo(outer: ChildProcess, folder: string): (word: string) => Promise<void> {
  const words = createInterface({ input: outer.stdio[3] as Readable })[Symbol.asyncIterator]();
  const late = new Promise<never>((_, reject) => {
    const timer = setTimeout(
      () => reject(new TerminalError('lab.boot', `a VM did not start in ${describeDuration(STARTS_WITHIN)}`)),
      STARTS_WITHIN,
    );
    outer.once('exit', () => clearTimeout(timer));
    timer.unref();
  });
  const broken = new Promise<never>((_, reject) => {
    outer.once('error', (cause) => reject(new TerminalError('lab.boot', `unshare can't be run: ${cause.message}`, { cause })));
  });
  // Without a listener a rejection would end this process; whoever waits for a word still sees it.
  late.catch(() => undefined);
  broken.catch(() => undefined);
  return async (word) => {
    const next = await Promise.race([words.next(), late, broken]);
    if (next.done === true || next.value !== word) {
      const console = await readFile(path.join(folder, 'console.log'), 'utf8');
      throw new TerminalError('lab.boot', `a VM ended before it said '${word}': ${lastLines(console)}`);
    }
  };
}

/** unshare(1) ends as its child did. reboot(2) in a PID namespace ends process 1 with SIGHUP to restart and SIGINT to power off. */
function endOf(outer: ChildProcess): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    const end = (signal: NodeJS.Signals | null) =>
      resolve(signal === 'SIGHUP' ? 'reboot' : signal === 'SIGINT' ? 'poweroff' : 'killed');
    if (outer.exitCode !== null || outer.signalCode !== null) end(outer.signalCode);
    else outer.once('exit', (_, signal) => end(signal));
  });
}
