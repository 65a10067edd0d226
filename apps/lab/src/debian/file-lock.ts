import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { TerminalError } from '@windlass/foundation';

/**
 * A lock over processes that ends with whoever holds it, however that one ends: flock(1) holds it, and lives as long as
 * the pipe from us. A lock file with a process id in it would need guessing whether that process is still the same.
 */
export class FileLock {
  private constructor(private readonly holder: ChildProcess) {}

  /** Takes the lock if it is free now; undefined when somebody else has it. */
  static tryTake(file: string): Promise<FileLock | undefined> {
    return FileLock.take(['--nonblock', file]);
  }

  /** Takes the lock, after whoever has it now. */
  static async waitFor(file: string): Promise<FileLock> {
    const lock = await FileLock.take([file]);
    if (lock === undefined) throw new TerminalError('lab.lock', `flock gave up waiting for ${file}`);
    return lock;
  }

  private static async take(how: string[]): Promise<FileLock | undefined> {
    const holder = spawn('flock', [...how, '/bin/sh', '-c', 'echo taken; exec cat > /dev/null'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true, // a Ctrl-C at the terminal does not end it before us
    });
    const lines = createInterface({ input: holder.stdout });
    const taken = await new Promise<boolean>((resolve, reject) => {
      lines.once('line', () => resolve(true));
      holder.once('close', () => resolve(false));
      holder.once('error', (cause) => reject(new TerminalError('lab.lock', `flock can't be run: ${cause.message}`, { cause })));
    });
    if (!taken) return undefined;
    holder.unref();
    return new FileLock(holder);
  }

  async release(): Promise<void> {
    if (this.holder.exitCode !== null || this.holder.signalCode !== null) return;
    this.holder.ref();
    const gone = once(this.holder, 'exit');
    this.holder.stdin?.end();
    await gone;
  }
}
