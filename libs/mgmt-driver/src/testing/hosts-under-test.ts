import { millis, seconds, waitUntil, type Duration } from '@windlass/foundation';
import type { Command } from '../cmd.js';
import type { HostTarget, Hosts } from '../host.js';

/** How a command behaves that the contract suite runs; it succeeds and prints nothing unless given. */
export interface WorkBehaviour {
  /** How long it runs; it ends at once unless given. */
  takes?: Duration;
  status?: number;
  stdout?: string;
  stderr?: string;
}

/** Hosts under test, and what the contract must know of the machine behind them. */
export interface HostsUnderTest {
  hosts: Hosts;
  /** The machine: the same at each call. */
  target: HostTarget;
  /** A folder there that anyone may write to. */
  folder: string;
  /** How long a command runs that is to be seen running, also on a busy machine. */
  visibly: Duration;
  /** A command that behaves so, and counts under that name. */
  work(name: string, behaviour?: WorkBehaviour): Command;
  /** A command that prints its input, `$TOKEN`, and the file at that path, a line each. */
  show(path: string): Command;
  /** How often a `work` of that name has begun. */
  begun(name: string): Promise<number>;
  /** How many of them run now. */
  running(name: string): Promise<number>;
  /** Makes the machine a restarted one: what ran is gone. */
  reboot(): Promise<void>;
  /** Nobody gets through to it any more. */
  cutOff(): Promise<void>;
}

/** Waits until a job of that name runs. */
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
