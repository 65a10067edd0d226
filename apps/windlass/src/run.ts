import { WindlassError } from '@windlass/foundation';
import type { Command } from 'commander';

/** What the system says of a file, in words. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder; a file was expected',
  ENOTDIR: 'a part of its path is no folder',
  EACCES: 'it may not be read or written by this user',
  EPERM: 'this user may not do that',
  EEXIST: 'it is there already',
  ENOSPC: 'the disk is full',
};

/** One sentence for what a person can mend; a stack trace for what is ours. */
export function toldOf(error: unknown): string {
  if (error instanceof WindlassError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const { code = '', path } = error as NodeJS.ErrnoException;
  const words = WORDS[code];
  return path === undefined || words === undefined ? (error.stack ?? error.message) : `${path}: ${words}`;
}

/** A reader that has seen enough (`| head`) is no error: nobody is left to be told anything. */
export function endQuietlyWithoutReader(streams: readonly NodeJS.WritableStream[], end: () => void): void {
  for (const stream of streams)
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      end();
    });
}

/** What `sysexits.h` calls EX_SOFTWARE. */
const DEFECT = 70;

/**
 * A command that waits for what nothing is left to bring, no timer and no connection, is ended by Node.js without a word (status 13). This says so.
 * @returns to be called when the command has ended
 */
function tellWhereNothingIsLeft(): () => void {
  const tell = (): void => {
    console.error(
      'windlass: ended in the middle: it waited for something that nothing was left to bring. That is a defect of ours: report it with the command and what stands above',
    );
    process.exitCode = DEFECT;
  };
  process.once('beforeExit', tell);
  return () => void process.off('beforeExit', tell);
}

/** Runs the command that the process was called with. An error is told on stderr, one that a person can mend by a sentence, and makes the exit status 1. */
export async function run(program: Command): Promise<void> {
  const followsSignals = ['up', 'lab', 'demo', 'test', 'bench'].includes(process.argv[2] ?? '');
  // What was begun there is taken away in order, though nobody reads.
  if (!followsSignals) endQuietlyWithoutReader([process.stdout], () => process.exit());
  const ended = tellWhereNothingIsLeft();
  try {
    await program.parseAsync();
  } catch (error) {
    console.error(`windlass: ${toldOf(error)}`);
    process.exitCode = 1;
  } finally {
    ended();
  }
}
