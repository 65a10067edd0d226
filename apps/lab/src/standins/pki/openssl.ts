import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** openssl refused. The message has its last lines, never a key. */
export class OpensslError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OpensslError';
  }
}

/** Runs the system's openssl inside a private folder with the given files, and returns its stdout. */
export async function openssl(args: readonly string[], files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'windlass-lab-pki-'));
  try {
    await Promise.all(Object.entries(files).map(([name, content]) => writeFile(join(folder, name), content, { mode: 0o600 })));
    const { stdout } = await run('openssl', args, { cwd: folder, maxBuffer: 1024 * 1024 });
    return stdout;
  } catch (error) {
    const text =
      error instanceof Error && 'stderr' in error ? String(error.stderr).trim().split('\n').slice(-3).join('; ') : String(error);
    throw new OpensslError(`openssl ${args[0] ?? ''}: ${text}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
