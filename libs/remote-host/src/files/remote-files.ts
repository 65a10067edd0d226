import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { InvariantError, minutes, seconds, Secret, TerminalError } from '@windlass/foundation';
import { cmd, type FileContent, type FileStat, type HostFiles, type HostRun, type PutOptions } from '@windlass/mgmt-driver';
import type SftpClient from 'ssh2-sftp-client';
import { exec, mayBeRoot, needPrivileges, type ExecAnswer } from '../connection/exec.js';
import { lastLines, maskedEnd } from '../jobs/log-lines.js';
import { runParameters } from '../jobs/job-calls.js';
import { bytesOf } from '../jobs/prepared.js';
import { Gathered } from '../output/gathered.js';
import { quoted } from '../output/said-too-much.js';
import type { Masker } from '../output/masker.js';
import { HostClock } from '../runner/clock.js';
import { Refusal, type Runner } from '../runner/runner.js';
import { framed } from './framed.js';

const MAX_READ_BYTES = 4 * 1024 * 1024;
/** Exit status of our own looks where nothing lies at the path. */
const NOTHING_THERE = 44;

/** Files on a host: with privileges through the job script, without through SFTP. */
export class RemoteFiles implements HostFiles {
  constructor(
    private readonly runner: Runner,
    private readonly run: HostRun,
    private readonly masker: Masker,
  ) {}

  async put(path: string, content: FileContent | Readable, options: PutOptions = {}): Promise<void> {
    assertAbsolute(path);
    this.masker.add(content);
    if (options.sudo === true) needPrivileges(this.runner.target, path);
    const asRoot = (options.sudo ?? true) && mayBeRoot(this.runner.target);
    if (options.owner !== undefined && !asRoot) throw new InvariantError(`${path}: an owner can be given to a file by root only`);
    this.run.assertLease();
    const temporary = posix.join(posix.dirname(path), `.windlass-${randomUUID()}`);
    const mode = options.mode ?? (content instanceof Secret ? 0o600 : 0o644);
    const parameters = {
      ...runParameters(this.run),
      PATH: path,
      TEMPORARY: temporary,
      MODE: mode.toString(8),
      OWNER: options.owner ?? '',
      PARENTS: options.parents === true ? 'yes' : 'no',
    };
    try {
      if (asRoot) await this.#putAsRoot(content, parameters);
      else await this.#putBySftp(content, temporary, parameters, options.parents === true);
    } catch (error) {
      if (error instanceof Refusal && error.reason === 'no-folder') throw this.#noSuchFile(posix.dirname(path));
      throw error;
    }
  }

  async read(path: string, options: { sudo?: boolean; atMost?: number } = {}): Promise<Buffer> {
    assertAbsolute(path);
    if (options.sudo === true) needPrivileges(this.runner.target, path);
    const atMost = options.atMost ?? MAX_READ_BYTES;
    const there = await this.stat(path, options);
    if (there === undefined) throw this.#noSuchFile(path);
    if (there.size > atMost) throw this.#tooLarge(path, there.size, atMost);
    if (options.sudo === true) {
      const answer = await this.#look(cmd`exec head -c ${atMost + 1} -- ${path}`.text);
      if (answer.status !== 0) throw this.#failed(`could not be read`, path, answer);
      if (answer.stdout.length > atMost || answer.truncated) throw this.#tooLarge(path, answer.stdout.length, atMost);
      return answer.stdout;
    }
    const read = await this.#sftp(path, (sftp) => firstOf(sftp.createReadStream(path), atMost + 1));
    // What the machine said of its size need not be so.
    if (read.length > atMost) throw this.#tooLarge(path, read.length, atMost);
    return read;
  }

  async exists(path: string, options: { sudo?: boolean } = {}): Promise<boolean> {
    return (await this.stat(path, options)) !== undefined;
  }

  async stat(path: string, options: { sudo?: boolean } = {}): Promise<FileStat | undefined> {
    assertAbsolute(path);
    if (options.sudo !== true) return this.#statBySftp(path);
    needPrivileges(this.runner.target, path);
    const look = cmd`[ -e ${path} ] || exit ${NOTHING_THERE}; LC_ALL=C exec stat -L -c '%F|%s|%a|%u|%g' -- ${path}`;
    const answer = await this.#look(look.text);
    if (answer.status === NOTHING_THERE) return undefined;
    if (answer.status !== 0) throw this.#failed('could not be looked at', path, answer);
    const [kind = '', size, mode = '', uid, gid] = answer.stdout.toString('utf8').trim().split('|');
    return {
      kind: kind.startsWith('regular') ? 'file' : kind === 'directory' ? 'directory' : 'other',
      size: Number(size),
      mode: Number.parseInt(mode, 8),
      uid: Number(uid),
      gid: Number(gid),
    };
  }

  async #putAsRoot(content: FileContent | Readable, parameters: Record<string, string | number>): Promise<void> {
    const { signal } = this.run;
    if (!(content instanceof Readable)) {
      const input = () => framed(Readable.from([bytesOf(content)]));
      await this.runner.call('put', { ...parameters, ...(await this.#deadline()) }, { signal, within: minutes(30), input });
      return;
    }
    // A stream is sent once: by now the script is there that takes it.
    await this.#deadline();
    // However long it takes: it is put in its place under the lease as it is by then.
    await this.runner.call('receive', parameters, { signal, within: minutes(30), input: () => framed(content) });
    await this.runner.call('place', { ...parameters, ...(await this.#deadline()) }, { signal });
  }

  /** The end of the lease as it is now, on the host's clock. */
  async #deadline(): Promise<{ NOT_AFTER: number; BOOT: string }> {
    const clock = HostClock.from(await this.runner.call('clock', runParameters(this.run), { signal: this.run.signal }));
    if (clock === undefined) throw new InvariantError(`${this.runner.host} told no clock`);
    return clock.deadline(this.run);
  }

  async #putBySftp(
    content: FileContent | Readable,
    temporary: string,
    parameters: Record<string, string | number>,
    parents: boolean,
  ): Promise<void> {
    const folder = posix.dirname(temporary);
    await this.#sftp(folder, async (sftp) => {
      if ((await sftp.exists(folder)) === false) {
        if (!parents) throw this.#noSuchFile(folder);
        await sftp.mkdir(folder, true);
      }
      const source = content instanceof Readable ? content : bytesOf(content);
      await sftp.put(source, temporary, { writeStreamOptions: { mode: 0o600 } });
    });
    await this.runner.call('place', { ...parameters, ...(await this.#deadline()) }, { signal: this.run.signal });
  }

  async #statBySftp(path: string): Promise<FileStat | undefined> {
    return this.#sftp(path, async (sftp) => {
      try {
        const { isFile, isDirectory, size, mode, uid, gid } = await sftp.stat(path);
        return { kind: isFile ? 'file' : isDirectory ? 'directory' : 'other', size, mode: mode & 0o7777, uid, gid } as const;
      } catch (error) {
        if ((error as { code?: unknown }).code === 'ENOENT') return undefined;
        throw error;
      }
    });
  }

  async #sftp<T>(path: string, work: (sftp: SftpClient) => Promise<T>): Promise<T> {
    return this.runner.use(this.run.signal, async (connection) => {
      try {
        return await connection.sftp(work);
      } catch (error) {
        if (error instanceof TerminalError) throw error;
        if (!connection.isOpen) throw connection.lost(error);
        const said = error instanceof Error ? error.message : String(error);
        throw new TerminalError(
          'remote.command-failed',
          `${path} on ${this.runner.host}: SFTP said: ${quoted(this.masker.mask(said))}`,
        );
      }
    });
  }

  #look(script: string): Promise<ExecAnswer> {
    return this.runner.use(this.run.signal, (connection) =>
      exec(connection, { script, sudo: true, within: seconds(60), signal: this.run.signal }),
    );
  }

  #failed(what: string, path: string, answer: ExecAnswer): TerminalError {
    const said = lastLines(maskedEnd(this.masker, answer.stderr.toString('utf8')), '');
    return new TerminalError(
      'remote.command-failed',
      `${path} on ${this.runner.host} ${what} (exit status ${answer.status}): ${said}`,
    );
  }

  #noSuchFile(path: string): TerminalError {
    return new TerminalError('remote.no-such-file', `there is no ${path} on ${this.runner.host}`);
  }

  #tooLarge(path: string, size: number, atMost: number): TerminalError {
    return new TerminalError(
      'remote.file-too-large',
      `${path} on ${this.runner.host} has ${size} bytes or more, at most ${atMost} are read`,
    );
  }
}

function assertAbsolute(path: string): void {
  if (!path.startsWith('/') || path.endsWith('/') || path.includes('\0'))
    throw new InvariantError(`"${path}" is no absolute path of a file`);
}

/** The first bytes of a stream, read no further than that. */
function firstOf(stream: Readable, atMost: number): Promise<Buffer> {
  const gathered = new Gathered(atMost);
  return new Promise((resolve, reject) => {
    // An error may also come late, of what is given up.
    stream.on('error', reject);
    stream.on('end', () => resolve(gathered.bytes()));
    stream.on('data', (chunk: Buffer) => {
      gathered.push(chunk);
      if (gathered.length < atMost) return;
      stream.destroy();
      resolve(gathered.bytes());
    });
  });
}
