import { writeSync } from 'node:fs';
import { constants } from 'node:os';
import { seconds, type Duration } from '@windlass/foundation';

/** One Ctrl-C may come twice: timeout(1) and others signal the process, and then its group. */
const SAME_WITHIN: Duration = seconds(1);
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The process as far as it is told to stop. */
interface SignalledProcess {
  on(signal: NodeJS.Signals, hear: (heard: (typeof SIGNALS)[number]) => void): unknown;
  off(signal: NodeJS.Signals, hear: (heard: (typeof SIGNALS)[number]) => void): unknown;
  exit(status: number): void;
}

/**
 * Resolves at the first SIGINT, SIGTERM or SIGHUP, and aborts its signal with it. Another one, a second later or more, ends the process at once,
 * and says so. From here on a closed terminal or pipe does not end it either: what was begun is to be taken away in order.
 */
export function untilStopSignal(process_: SignalledProcess = process): {
  stopSignalled: Promise<void>;
  signal: AbortSignal;
  /** What a shell tells of a program that the first signal ended: 130 of SIGINT, 143 of SIGTERM, 129 of SIGHUP; 0 before one has come. */
  status: () => number;
  release: () => void;
} {
  const stop = new AbortController();
  let tell: () => void = () => undefined;
  const stopSignalled = new Promise<void>((resolve) => (tell = resolve));
  let firstAt: number | undefined;
  let status = 0;
  const hear = (heard: (typeof SIGNALS)[number]): void => {
    const now = performance.now();
    if (firstAt === undefined) {
      firstAt = now;
      status = 128 + constants.signals[heard];
      stop.abort();
      tell();
    } else if (now - firstAt > SAME_WITHIN) {
      writeLineNow('windlass: told to stop again, so it ends without cleaning up; the next lab, demo or up removes what is left');
      process_.exit(130);
    }
  };
  for (const signal of SIGNALS) process_.on(signal, hear);
  // Who reads us may be gone first: a Ctrl-C ends all of a pipeline.
  const outputs = [process.stdout, process.stderr];
  for (const output of outputs) output.on('error', unheard);
  return {
    stopSignalled,
    signal: stop.signal,
    status: () => status,
    release: () => {
      for (const signal of SIGNALS) process_.off(signal, hear);
      for (const output of outputs) output.off('error', unheard);
    },
  };
}

const unheard = (): void => undefined;

function writeLineNow(line: string): void {
  try {
    writeSync(2, `${line}\n`);
  } catch {
    return; // nobody reads it
  }
}
