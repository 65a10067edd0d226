import { WindlassError } from '@windlass/foundation';
import type { Command } from 'commander';

/** Runs the command that the process was called with. An error is told on stderr, ours by its message alone, and makes the exit status 1. */
export async function run(program: Command): Promise<void> {
  try {
    await program.parseAsync();
  } catch (error) {
    console.error(
      `windlass: ${error instanceof WindlassError ? error.message : String(error instanceof Error ? (error.stack ?? error.message) : error)}`,
    );
    process.exitCode = 1;
  }
}
