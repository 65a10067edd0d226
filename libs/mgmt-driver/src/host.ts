import type { Readable } from 'node:stream';
import type { Duration, Secret } from '@windlass/foundation';
import type { Command } from './cmd.js';

/** A machine reached by SSH: where it is and how to get in. */
export interface HostTarget {
  /** Identity of the machine: `computeResource.resourceId`, or a name of the operator's for a server that is no VNFC. Its host key is pinned under this. */
  readonly resourceId: string;
  readonly address: string;
  /** 22 unless given. */
  readonly port?: number;
  readonly username: string;
  /** For the login (password or keyboard-interactive) and for sudo, where sudo asks. */
  readonly password?: Secret;
  /** OpenSSH or PEM. Tried before the password. */
  readonly privateKey?: Secret;
  readonly passphrase?: Secret;
  /** When the VIM made it, ISO 8601: in its first minutes a refused login may be that of a machine that is not set up yet. */
  readonly createdAt?: string;
  /** `sudo` (the default): root, or a user who may become root. `none`: everything is done as the login user. */
  readonly privileges?: 'sudo' | 'none';
}

/** The run of a step that a {@link Host} acts for: a claim of the engine's, and whose machine it is. */
export interface HostRun {
  readonly operationId: string;
  readonly stepId: string;
  /** Whose work it is. On one host at most one operation of a VNF instance has jobs: those of another are ended first. */
  readonly vnfInstanceId: string;
  readonly phase: 'do' | 'undo';
  /** Of the present claim. What comes with a lower one than the host has seen of this step is refused. */
  readonly epoch: number;
  /**
   * Epoch of the claim that began the present attempt: equal to `epoch`, or lower when the attempt was taken over from a
   * worker that was lost. It tells the attempts of a step apart over its whole life, which a count that starts anew does not.
   */
  readonly attemptEpoch: number;
  /** Aborts when the lease is lost or the service stops: then the host lets go of its jobs, which run on. */
  readonly signal: AbortSignal;
  /** @throws when the lease can't be trusted any more. */
  assertLease(): void;
  /** How long the lease can still be trusted, by this process's monotonic clock. */
  leaseLeft(): Duration;
  /** What must not be shown, beside what the host is given as a Secret. */
  readonly secrets?: readonly Secret[];
  /** Told what is waited for before anything can begin. */
  progress?(line: string): void;
}

/**
 * A machine, bound to one run of a step.
 *
 * All its calls throw `TransientError` (`remote.unreachable`, `remote.connection-lost`) when the machine can't be reached, and
 * `TerminalError` (`remote.auth-failed`, `remote.host-key-changed`, `remote.sudo-refused`) when it doesn't let us in; a login that is
 * refused in the machine's first minutes is tried again until they are over. Those that change something throw `TerminalError` `remote.stale-epoch` when a later claim of the step was there before, and `TransientError`
 * `remote.lease-over` when the order reached the machine after the lease it was given under.
 */
export interface Host {
  readonly target: HostTarget;
  readonly signal: AbortSignal;
  readonly files: HostFiles;
  /**
   * Runs a command that changes nothing and waits for its end. Anything that changes something is a {@link Host.job}.
   * @throws TerminalError `remote.command-failed` when its exit status isn't expected, `remote.said-too-much`; TransientError `remote.look-timeout`.
   */
  run(command: Command, options: RunOptions): Promise<RunResult>;
  /**
   * Starts the job of that name, or attaches to it where it runs already, or reads its result where it has ended, and returns when it
   * has ended. When the signal aborts it lets go, and the job runs on. A name stands for one job in a run.
   * @throws TerminalError `remote.command-failed` (host, exit status, last lines), `remote.job-ended` when it was ended on request;
   *   TransientError `remote.job-timeout` (its group is ended and gone), `remote.job-lost` (the host restarted, or someone killed it),
   *   `remote.not-confirmed-stopped` (it overran and could not be seen to be gone).
   */
  job(name: string, spec: JobSpec): Promise<JobResult>;
  /** Ends every job of this VNF instance on this host that isn't this step's, and sees that it is gone. @throws TransientError `remote.not-confirmed-stopped` */
  quiet(): Promise<void>;
  /** What kind of machine it is. Read once a run. */
  facts(): Promise<HostFacts>;
}

/** How {@link Host.run} runs a command. */
export interface RunOptions {
  readonly within: Duration;
  /** As root; `false` unless given. */
  readonly sudo?: boolean;
  /** Standard input. */
  readonly input?: string | Uint8Array | Secret;
  /** Exit statuses that are no failure, or any; `[0]` unless given. */
  readonly expect?: readonly number[] | 'any';
  /** Whether what it prints is a secret as a whole, and stands in no error. */
  readonly secretOutput?: boolean;
}

/** How a command ended that {@link Host.run} ran, and what it printed. */
export interface RunResult {
  readonly status: number;
  /** Name of the signal that ended it, such as `SIGKILL`. */
  readonly signal: string | undefined;
  /** As printed, at most 4 MiB: it may hold secrets; errors show it masked. Bytes that are no UTF-8 are replaced. */
  readonly stdout: string;
  readonly stderr: string;
  /** There was more than that. */
  readonly truncated: boolean;
}

/** Files of a machine. Paths are absolute. All calls throw what {@link Host} says as well. */
export interface HostFiles {
  /**
   * Writes the file whole or not at all, replacing what was there. A Secret's file is 0600 unless `mode` says otherwise.
   * @throws TerminalError `remote.command-failed`, `remote.no-such-file` when its folder is absent
   */
  put(path: string, content: FileContent | Readable, options?: PutOptions): Promise<void>;
  /** @throws TerminalError `remote.no-such-file`; `remote.file-too-large` beyond `atMost` bytes (4 MiB) */
  read(path: string, options?: { readonly sudo?: boolean; readonly atMost?: number }): Promise<Buffer>;
  exists(path: string, options?: { readonly sudo?: boolean }): Promise<boolean>;
  /** Undefined when nothing is there. A symbolic link is followed. */
  stat(path: string, options?: { readonly sudo?: boolean }): Promise<FileStat | undefined>;
}

/** What a file is to hold: text (written as UTF-8), bytes, or a secret text. */
export type FileContent = string | Uint8Array | Secret;

/** How {@link HostFiles.put} writes a file. */
export interface PutOptions {
  /** Permission bits; `0o644` unless given. */
  readonly mode?: number;
  /** `user` or `user:group`; who writes it, unless given. Needs `sudo`. */
  readonly owner?: string;
  /** As root (the default, where the target has privileges), or as the login user. */
  readonly sudo?: boolean;
  /** Makes the folders above it, 0755, where they are absent. */
  readonly parents?: boolean;
}

/** What is known of a file without reading it. `size` is in bytes. */
export interface FileStat {
  readonly kind: 'file' | 'directory' | 'other';
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** What kind of machine a host is. */
export interface HostFacts {
  /** `ID` of os-release, such as `debian` or `ubuntu`. */
  readonly osId: string;
  /** `VERSION_ID` of os-release, such as `12` or `22.04`; empty for a rolling release. */
  readonly osVersion: string;
  /** `uname -m`, such as `x86_64`. */
  readonly arch: string;
}

interface JobTerms {
  /** Counted by the host from the job's start, whoever watches. */
  readonly within: Duration;
  /** As root (the default, where the target has privileges), or as the login user. */
  readonly sudo?: boolean;
  /** Exit statuses that are no failure; `[0]` unless given. */
  readonly okStatuses?: readonly number[];
  /** Told of what it prints, whole lines, masked. */
  readonly onOutput?: (output: JobOutput) => void;
  /**
   * Takes back what `prepare` made for the start: called by whoever sees the job end, once at least, with the receipt that
   * `prepare` left; also for one that was prepared and not needed. It may be called in another process than `prepare` was.
   */
  readonly after?: (receipt: Secret) => Promise<void>;
  /** What it prints is a secret as a whole: shown nowhere, given as {@link JobResult.secretOutput}. */
  readonly secretOutput?: boolean;
}

/** A job that is the same however often it starts. */
export interface DirectJob extends JobTerms {
  readonly run: Command;
  readonly env?: Readonly<Record<string, string | Secret>>;
  /** Standard input; none unless given. */
  readonly input?: FileContent;
  readonly prepare?: never;
}

/** A job that needs something made for its start: a token, a file. */
export interface PreparedJob extends JobTerms {
  /** Called when the job starts, and not when one is attached to. */
  readonly prepare: (files: JobFiles) => Promise<PreparedRun> | PreparedRun;
  readonly run?: never;
}

/** What {@link Host.job} runs: a command alone, or one that needs something made for its start. */
export type JobSpec = DirectJob | PreparedJob;

/** What {@link PreparedJob.prepare} gives: the command with its environment and its standard input. */
export interface PreparedRun {
  readonly run: Command;
  readonly env?: Readonly<Record<string, string | Secret>>;
  readonly input?: FileContent;
  /** What `after` needs to take back what was made, such as the token's id. Kept in the job's folder on the host until it was. */
  readonly receipt?: string | Secret;
}

/** The job's own folder: only its user can read it, and it is gone when the job has ended. */
export interface JobFiles {
  /** Where the file of that name will lie when the job starts. */
  path(name: string): string;
  /** Sent with the start, 0600 unless `mode` says otherwise; at most 16 MiB in all. Names are plain: no folders. */
  put(name: string, content: FileContent, options?: { readonly mode?: number }): Promise<void>;
}

/** One line or more that a job printed, masked. */
export interface JobOutput {
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

/** How a job ended, and the end of what it printed. */
export interface JobResult {
  readonly status: number;
  /** The last 64 KiB at most, secrets masked. */
  readonly stdoutTail: string;
  readonly stderrTail: string;
  /** Bytes printed before the tails. */
  readonly stdoutDropped: number;
  readonly stderrDropped: number;
  /** By the host's clock, ISO 8601. */
  readonly startedAt: string;
  readonly endedAt: string;
  /** It was started by an earlier run. */
  readonly attached: boolean;
  /** The tails as printed; only with {@link JobTerms.secretOutput}. */
  readonly secretOutput?: { readonly stdout: Secret; readonly stderr: Secret };
}

/** Gives hosts to steps. Fulfilled by libs/remote-host over SSH, and by `FakeHosts` in memory. */
export interface Hosts {
  /** Reaches for nothing yet. */
  host(target: HostTarget, run: HostRun): Host;
  /**
   * Ends the jobs of a step on a host and sees that they are gone: for a cancel. The step's claims up to `epoch` can start nothing
   * there any more. Returns the names of the jobs it ended.
   * @throws TransientError `remote.not-confirmed-stopped` when the host can't be reached or a process doesn't go;
   *   TerminalError `remote.stale-epoch` when a later claim was there before
   */
  endJobs(target: HostTarget, step: EndJobs): Promise<readonly string[]>;
}

/** The step whose jobs {@link Hosts.endJobs} ends, and the last of its claims that may have started them. */
export interface EndJobs {
  readonly operationId: string;
  readonly stepId: string;
  readonly epoch: number;
}
