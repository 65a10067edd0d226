import { ExitError, type Io } from '../cli/program.js';

/** Exit statuses of kubeadm. */
export const EXIT = { error: 1, preflight: 2, validation: 3 } as const;

const HINT = 'To see the stack trace of this error execute with --v=5 or higher';

/** A failure as kubeadm prints it. */
export const failure = (message: string, status: number = EXIT.error): ExitError => new ExitError(status, `${message}\n${HINT}`);

/** A failure inside a phase. */
export const phaseFailure = (phase: string, error: unknown): ExitError =>
  error instanceof ExitError
    ? error
    : failure(`error execution phase ${phase}: ${error instanceof Error ? error.message : String(error)}`);

/** One phase of a workflow. Neighbours of one group run side by side. */
export interface Phase {
  name: string;
  group?: string;
  run: () => Promise<void>;
}

/**
 * Runs phases in order, but those skipped by name, by `parent/child` or by `parent`.
 * @throws ExitError naming the phase that failed, or a phase to skip that there is none of
 */
export async function runPhases(phases: readonly Phase[], skipped: readonly string[]): Promise<void> {
  const known = new Set(phases.flatMap(({ name }) => [name, name.split('/')[0] ?? '']));
  const unknown = skipped.find((name) => !known.has(name));
  if (unknown !== undefined) throw failure(`invalid phase name: ${unknown}`);
  const wanted = phases.filter(({ name }) => !skipped.includes(name) && !skipped.includes(name.split('/')[0] ?? ''));
  for (let at = 0; at < wanted.length;) {
    const group = wanted[at]?.group;
    let end = at + 1;
    while (group !== undefined && wanted[end]?.group === group) end++;
    await Promise.all(wanted.slice(at, end).map(runPhase));
    at = end;
  }
}

async function runPhase({ name, run }: Phase): Promise<void> {
  try {
    await run();
  } catch (error) {
    throw phaseFailure(name, error);
  }
}

/** A phase that only says something. */
export const saying = (name: string, io: Io, text: string): Phase => ({
  name,
  run: () => {
    line(io, text);
    return Promise.resolve();
  },
});

export const line = (io: Io, text: string): void => io.out(`${text}\n`);

/** klog's warnings go to stderr with a head that has the time; the head is shortened here. */
export const warn = (io: Io, text: string): void => io.err(`W ${text}\n`);
