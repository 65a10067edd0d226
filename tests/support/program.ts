import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { surroundings, windlassProgram } from '@windlass/windlass';
import { vi } from 'vitest';
import type { System } from './system.js';

/** Runs the product's command line against the services of a test, without a terminal. @returns what the command prints, an entry for each write */
export async function program({ api }: System, ...words: string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'windlass-program-'));
  const { exitCode } = process;
  const printed: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text).trimEnd()) > 0);
  try {
    const file = join(folder, 'token');
    await writeFile(file, 'test-token', { mode: 0o600 });
    const target = ['--url', String(api.defaults.baseURL), '--token-file', file];
    await windlassProgram(surroundings()).parseAsync([...words, ...target], { from: 'user' });
    return printed;
  } finally {
    write.mockRestore();
    process.exitCode = exitCode;
    await rm(folder, { recursive: true });
  }
}
