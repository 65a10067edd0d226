import { describeDuration, millis, seconds, TerminalError, TransientError, type Duration } from '@windlass/foundation';
import type { HostTarget } from '@windlass/mgmt-driver';
import type { HostSettings } from './options.js';
import { nameOf } from './connect.js';

/** A machine that refuses the login and may still be setting it up: cloud-init sets passwords after sshd answers. */
export interface Refused {
  readonly host: string;
  /** How old the machine was at the last try. */
  readonly age: Duration;
  /** How often it refused. */
  readonly times: number;
  /** Of the first refusal, and before which it is not tried again; by this process's monotonic clock, in ms. */
  readonly since: number;
  readonly nextAt: number;
}

/** The login is refused, as it may be in a machine's first minutes. */
export class LoginNotYet extends TransientError {
  private constructor(
    { host, age }: Refused,
    /** Until the next try. */
    readonly left: Duration,
  ) {
    super(
      'remote.login-not-yet',
      `${host} refuses the login; it was made ${described(age)} ago, and may still be setting it up: tried again in ${described(left)}`,
    );
  }

  /** Undefined when it is time for the next try. */
  static before(refused: Refused): LoginNotYet | undefined {
    const left = refused.nextAt - performance.now();
    return left > 0 ? new LoginNotYet(refused, millis(left)) : undefined;
  }
}

const described = (duration: Duration): string => describeDuration(seconds(Math.ceil(duration / 1_000)));

/**
 * What a refusal means: the next try, later and later, while the machine is in its first minutes; an error for a person after that.
 *
 * Its age is what the VIM's clock says of its making and ours of now. A clock that is ahead makes nobody wait longer than the first
 * minutes take, counted from the first refusal.
 */
export function nextRefusal(
  target: HostTarget,
  { loginPatience, refusalPause }: Pick<HostSettings, 'loginPatience' | 'refusalPause'>,
  earlier: Refused | undefined,
  refusal: TerminalError,
): Refused | TerminalError {
  const now = performance.now();
  const age = Date.now() - Date.parse(target.createdAt ?? '');
  if (Number.isNaN(age)) return refusal;
  const since = earlier?.since ?? now;
  const left = loginPatience - Math.max(age, now - since);
  if (left <= 0) return overdue(refusal, millis(Math.max(0, age)), loginPatience);
  const times = (earlier?.times ?? 0) + 1;
  // The last try is the one with which the first minutes end.
  const pause = Math.min(refusalPause * 2 ** (times - 1), left);
  return { host: nameOf(target), age: millis(Math.max(0, age)), times, since, nextAt: now + pause };
}

const overdue = (refusal: TerminalError, age: Duration, patience: Duration): TerminalError =>
  new TerminalError(
    refusal.code,
    `${refusal.message}. The machine was made ${described(age)} ago; what it sets up in its first ${describeDuration(patience)} is waited for. If ` +
      `cloud-init sets the login, look on its console: "cloud-init status --long", and the user_data that it was given`,
    { cause: refusal },
  );
