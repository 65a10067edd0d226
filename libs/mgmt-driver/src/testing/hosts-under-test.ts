import { millis, seconds, waitUntil, type Duration } from '@windlass/foundation';
import type { Command } from '../cmd.js';
import type { HostTarget, Hosts } from '../host.js';

/** The behaviour of a command of the contract suite; by default it succeeds and prints nothing. */
export interface WorkBehaviour {
  /** The time that the command takes; none unless given. */
  takes?: Duration;
  status?: number;
  stdout?: string;
  stderr?: string;
}

/** Hosts under test, and what the contract needs of the machine behind them. */
export interface HostsUnderTest {
  hosts: Hosts;
  /** The machine: the same at each call. */
  target: HostTarget;
  /** A folder on the machine that every user may write to. */
  folder: string;
  /** The time of a command that a test must see running, also on a busy machine. */
  visibly: Duration;
  /** A command with a behaviour, which is counted under a name. */
  work(name: string, behaviour?: WorkBehaviour): Command;
  /** A command that prints its input, `$TOKEN`, and the file at a path, a line each. */
  show(path: string): Command;
  /** How often the `work` of a name has begun. */
  begun(name: string): Promise<number>;
  /** How many of these commands run now. */
  running(name: string): Promise<number>;
  /** Restarts the machine, as tests see it: all processes are gone. */
  reboot(): Promise<void>;
  /** Makes the machine unreachable. */
  cutOff(): Promise<void>;
}

/** Waits until a job runs. */
export async function untilRunning(under: HostsUnderTest, name: string): Promise<void> {
  await waitUntil(
    async (seen) => {
      const running = await under.running(name);
      seen(`${running} running, ${await under.begun(name)} begun`);
      return running > 0 ? true : undefined;
    },
    { for: `${name} to run`, within: seconds(20), every: millis(20) },
  );
}

/** The error that a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<{ code?: string; message: string; name: string }> {
  try {
    await promise;
  } catch (error) {
    return error as { code?: string; message: string; name: string };
  }
  throw new Error('expected a failure');
}
