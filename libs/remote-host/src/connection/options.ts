import { days, minutes, seconds, type Duration } from '@windlass/foundation';
import type { AddressRules } from '@windlass/outbound';
import type { HostKeyStore } from './host-keys.js';

/** How hosts are reached and where jobs lie on them. */
export interface RemoteHostOptions {
  /** Where host keys are pinned. */
  readonly hostKeys: HostKeyStore;
  /** Where machines may be: a VIM or a request names their addresses. Without them anywhere. */
  readonly rules?: AddressRules | undefined;
  /** One try to connect and log in; 10 s. */
  readonly connectWithin?: Duration;
  /** How long a host that doesn't answer is tried again; 1 min. */
  readonly patience?: Duration;
  /** How long after it was made a machine that refuses the login may still be setting it up; 5 min. */
  readonly loginPatience?: Duration;
  /** Between the first refusal and the next try; each further pause is twice as long. 20 s: what counts failed logins must not ban us. */
  readonly refusalPause?: Duration;
  /** A connection that nobody used for so long is closed; 1 min. */
  readonly idle?: Duration;
  /** A host that says nothing for so long, when it should, is taken for gone; 20 s. */
  readonly silence?: Duration;
  /** Folder of the jobs on a host with privileges; no spaces. `/var/lib/windlass/jobs`. Without privileges it is `~/.local/state/windlass/jobs`. */
  readonly jobsFolder?: string;
  /** `auto`: a systemd scope a job, where systemd runs; `plain`: never. */
  readonly contain?: 'auto' | 'plain';
  /** Between TERM and KILL; 10 s. */
  readonly stopGrace?: Duration;
  /** Steps whose jobs ended so long ago are forgotten; 14 days, whole days. */
  readonly keep?: Duration;
  /** Allocated size beyond which the beginning of a job's log is thrown away; 32 MiB. */
  readonly logLimit?: number;
  /** File on the host that tells one boot from another; for tests. */
  readonly bootIdFile?: string;
  /** The script that runs jobs, where it isn't this package's own; for tests. */
  readonly runnerScript?: string;
}

/** {@link RemoteHostOptions} with the defaults put in. */
export type HostSettings = Required<
  Omit<RemoteHostOptions, 'bootIdFile' | 'runnerScript' | 'hostKeys' | 'jobsFolder' | 'rules'>
> &
  Pick<RemoteHostOptions, 'bootIdFile' | 'runnerScript' | 'jobsFolder' | 'hostKeys' | 'rules'>;

const defaults = {
  connectWithin: seconds(10),
  patience: minutes(1),
  loginPatience: minutes(5),
  refusalPause: seconds(20),
  idle: minutes(1),
  silence: seconds(20),
  contain: 'auto',
  stopGrace: seconds(10),
  keep: days(14),
  logLimit: 32 * 1024 * 1024,
} satisfies Partial<RemoteHostOptions>;

/** Puts the defaults into what was not given. */
export const settingsOf = (options: RemoteHostOptions): HostSettings => ({ ...defaults, ...options });
