import {
  describeDuration,
  seconds,
  TerminalError,
  TransientError,
  waitUntil,
  WindlassError,
  type Duration,
} from '@windlass/foundation';
import { cmd, type Host } from '@windlass/mgmt-driver';

/** How long one look waits, in seconds: short enough for progress to be seen. */
const ONE_LOOK = 15;

/** Exit status of `timeout` when the time is over, and of a shell that has no such command. */
const TIMED_OUT = 124;
const NO_COMMAND = 127;

/** cloud-init's exit statuses after a good end: 2 means what it calls recoverable errors. */
const DONE: readonly number[] = [0, 2];

/** Runs as the user who logs in: sudo's configuration may be written later than the user. */
export const FIRST_BOOT_LOOK = cmd`command -v cloud-init > /dev/null || exit ${NO_COMMAND}
timeout ${ONE_LOOK} cloud-init status --wait > /dev/null 2>&1; status=$?
cloud-init status --long 2>&1; exit "$status"`;

/** What is waited for, and who is told. */
export interface FirstBoot {
  host: Host;
  /** The machine as people know it. */
  name: string;
  within: Duration;
  progress: (line: string) => void;
}

/**
 * Waits until cloud-init has set a machine up, where the machine has one: until then cloud-init installs packages, writes files and may restart the
 * machine. The wait starts nothing there, so a cancel has nothing to end.
 * @throws TerminalError `node.first-boot-failed` with what cloud-init says, `node.first-boot-unfinished`; the error of reaching the host, where the
 *   host was not there in the end
 */
export async function awaitFirstBoot({ host, name, within, progress }: FirstBoot): Promise<void> {
  let last: TransientError | undefined;
  const look = async (seen: (text: string) => void): Promise<true | undefined> => {
    try {
      const { status, stdout } = await host.run(FIRST_BOOT_LOOK, { within: seconds(ONE_LOOK * 3), expect: 'any' });
      last = undefined;
      if (status === NO_COMMAND || DONE.includes(status)) return true;
      const said = shortly(stdout);
      if (status !== TIMED_OUT) throw failed(name, status, said);
      seen(said);
      progress(`waiting for cloud-init: ${said}`);
    } catch (error) {
      host.signal.throwIfAborted();
      // It may restart the machine.
      if (!(error instanceof TransientError)) throw error;
      last = error;
      seen(error.message);
      progress(`waiting for ${name}: ${error.message}`);
    }
    return undefined;
  };
  try {
    await waitUntil(look, { for: `cloud-init on ${name} to end`, within, every: seconds(1), signal: host.signal });
  } catch (error) {
    if (!(error instanceof WindlassError) || error.code !== 'wait.timeout') throw error;
    if (last !== undefined) throw last;
    throw new TerminalError(
      'node.first-boot-unfinished',
      `${error.message}. Look there (cloud-init status --long, /var/log/cloud-init-output.log) what it still does after ${describeDuration(within)}, then retry the operation`,
    );
  }
}

const failed = (name: string, status: number, said: string): TerminalError =>
  new TerminalError(
    'node.first-boot-failed',
    `cloud-init failed on ${name} (exit status ${status}): ${said}. Look at /var/log/cloud-init-output.log there, and at the server's user_data`,
  );

/** The lines that `cloud-init status --long` prints, as one; at most 500 characters. */
const shortly = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^\.+$/.test(line))
    .join('; ')
    .slice(0, 500);
