import { writeSync } from 'node:fs';

/** Ends a stand-in with a message on stderr. */
export class ExitError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = 'ExitError';
  }
}

/** What a stand-in's body gets from the process that runs it; tests give their own. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
}

const stdio: Io = {
  out: (text) => writeAll(1, text),
  err: (text) => writeAll(2, text),
};

/** Writes everything before it returns: the process may end right after. A pipe that is full and was made non-blocking is waited for. */
function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text, 'utf8');
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/**
 * Runs a program's body, and ends the process: its return is the exit status, an ExitError ends it with that status and message.
 * Nothing that is still open (a connection to containerd, a timer) keeps a program that has failed.
 */
export async function runProgram(body: (args: string[], io: Io) => Promise<number>): Promise<never> {
  let status: number;
  try {
    status = await body(process.argv.slice(2), stdio);
  } catch (error) {
    const known = error instanceof ExitError;
    const text = known ? error.message : `error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
    stdio.err(`${text}\n`);
    status = known ? error.status : 1;
  }
  process.exit(status);
}

/** A log line in klog's form on stderr, for the long-running stand-ins: the journal has the time. */
export const logLine = (text: string): void => writeAll(2, `I ${text}\n`);
