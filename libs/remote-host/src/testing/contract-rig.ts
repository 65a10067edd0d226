import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { seconds } from '@windlass/foundation';
import { cmd, type HostTarget } from '@windlass/mgmt-driver';
import type { HostsUnderTest } from '@windlass/mgmt-driver/testing/contract';
import { MemoryHostKeys } from '../connection/host-keys.js';
import type { RemoteHostOptions } from '../connection/options.js';
import { RemoteHosts } from '../remote-hosts.js';

/** A script that notes its process, prints, takes its time, and ends with a status. Arguments: name, seconds, status, stdout, stderr. */
const WORK = `echo $$ >> "$(dirname "$0")/$1.pids"; printf %s "$4"; printf %s "$5" >&2; [ "$2" = 0 ] || sleep "$2"; exit "$3"\n`;
const SHOW = `cat; printf '%s\\n' "$TOKEN"; cat "$1"\n`;

/** Real hosts with their own folders; their machine is this one. */
export class ContractRig implements HostsUnderTest {
  readonly base = mkdtempSync(join(tmpdir(), 'windlass-rig-'));
  readonly jobsFolder = join(this.base, 'jobs');
  readonly bootIdFile = join(this.base, 'boot-id');
  /** A folder that every user may write to. */
  readonly folder = join(this.base, 'work');
  readonly visibly = seconds(5);
  readonly hosts: RemoteHosts;
  #cutOff = false;

  constructor(
    private readonly reachable: HostTarget,
    options: Partial<RemoteHostOptions> = {},
  ) {
    // Other users than root take part.
    mkdirSync(this.folder);
    chmodSync(this.base, 0o711);
    chmodSync(this.folder, 0o1777);
    this.#boot('the-first-boot');
    writeFileSync(join(this.folder, 'work.sh'), WORK);
    writeFileSync(join(this.folder, 'show.sh'), SHOW);
    this.hosts = new RemoteHosts({
      hostKeys: new MemoryHostKeys(),
      ...(reachable.privileges !== 'none' && { jobsFolder: this.jobsFolder }),
      bootIdFile: this.bootIdFile,
      patience: seconds(1),
      stopGrace: seconds(1),
      ...options,
    });
  }

  get target(): HostTarget {
    // The discard port: nothing listens there.
    return this.#cutOff ? { ...this.reachable, port: 9 } : this.reachable;
  }

  work: HostsUnderTest['work'] = (name, { takes = 0, status = 0, stdout = '', stderr = '' } = {}) =>
    cmd`sh ${this.folder}/work.sh ${name} ${takes / 1000} ${status} ${stdout} ${stderr}`;

  show: HostsUnderTest['show'] = (path) => cmd`sh ${this.folder}/show.sh ${path}`;

  begun = (name: string): Promise<number> => {
    return Promise.resolve(this.pids(name).length);
  };

  running = (name: string): Promise<number> => {
    return Promise.resolve(this.pids(name).filter(lives).length);
  };

  /** The process ids of the work of a name. */
  pids(name: string): number[] {
    return readIfThere(join(this.folder, `${name}.pids`))
      .split('\n')
      .filter(Boolean)
      .map(Number);
  }

  /** Ends the jobs as a restart would, without restarting this machine. */
  reboot = (): Promise<void> => {
    this.#boot('the-second-boot');
    this.#killSupervisors();
    return Promise.resolve();
  };

  /** Changes the boot id that hosts see; processes run on. */
  changeBoot(): void {
    this.#boot('another-boot');
  }

  /** The present boot id of this rig, which no other rig has. */
  get bootId(): string {
    return readIfThere(this.bootIdFile).trim();
  }

  #boot(name: string): void {
    // Replaced at once, since scripts read the file meanwhile.
    writeFileSync(`${this.bootIdFile}.new`, `${name}${this.#bootsEnd}\n`);
    renameSync(`${this.bootIdFile}.new`, this.bootIdFile);
  }

  get #bootsEnd(): string {
    return `-of-${basename(this.base)}`;
  }

  /** The process ids of supervisors, living or not. */
  supervisors(): number[] {
    return this.#supervisors().map(({ pid }) => pid);
  }

  /** Kills the living supervisors. The start time is compared, too: the process id of a dead supervisor may be another's by now. */
  #killSupervisors(): void {
    for (const { pid, started } of this.#supervisors()) if (startOf(pid) === started) killGroup(pid);
  }

  /** The supervisors of this rig's boots alone: without privileges, all rigs' jobs lie in one folder, and their tests run at the same time. */
  #supervisors(): { pid: number; started: string | undefined }[] {
    const folder = this.reachable.privileges === 'none' ? this.#homeFolder() : this.jobsFolder;
    return files(folder)
      .filter((path) => path.endsWith('/pid'))
      .map((path) => readIfThere(path).split(' '))
      .filter(([_pid, _started, boot]) => boot?.endsWith(this.#bootsEnd) === true)
      .map(([pid, started]) => ({ pid: Number(pid), started }))
      .filter(({ pid }) => pid > 1);
  }

  cutOff = (): Promise<void> => {
    this.#cutOff = true;
    return Promise.resolve();
  };

  /** The files below the jobs folder, with their contents. */
  contents(): string {
    return files(this.jobsFolder)
      .map((path) => `${path}\n${readIfThere(path)}`)
      .join('\n');
  }

  close(): void {
    this.hosts.close();
    this.#killSupervisors();
    rmSync(this.base, { recursive: true, force: true });
  }

  #homeFolder(): string {
    return `/tmp/${this.reachable.username}-home/.local/state/windlass/jobs`;
  }
}

/** Whether a process runs; a zombie does not. */
export function lives(pid: number): boolean {
  const stat = readIfThere(`/proc/${pid}/stat`);
  return stat !== '' && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

/** The start time of a process in ticks since the boot (proc(5), field 22 of stat); undefined where the process is gone. */
function startOf(pid: number): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  return stat === '' ? undefined : stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

/** The text of a file; empty without the file. */
export function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function files(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    // The folder does not exist yet.
    return [];
  }
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
