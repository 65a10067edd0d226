import { EXIT, failure, line } from '../output.js';
import type { Io } from '../../cli/program.js';

/** What one check found. */
export interface Findings {
  warnings: string[];
  errors: string[];
}

/** One preflight check: its name is what `--ignore-preflight-errors` takes. */
export interface Check {
  name: string;
  run: () => Promise<Findings>;
}

export const fine: Findings = { warnings: [], errors: [] };
export const failed = (...errors: string[]): Findings => ({ warnings: [], errors });
export const warned = (...warnings: string[]): Findings => ({ warnings, errors: [] });

/** A check that fails with a message, or not. */
export const check = (name: string, problem: () => Promise<string | undefined>): Check => ({
  name,
  run: async () => {
    const found = await problem();
    return found === undefined ? fine : failed(found);
  },
});

/**
 * Runs all checks, prints warnings, and ends with status 2 if errors are left that are not ignored.
 * @throws ExitError
 */
export async function runChecks(checks: readonly Check[], ignored: readonly string[], io: Io): Promise<void> {
  const lower = ignored.map((name) => name.toLowerCase());
  if (lower.includes('all') && lower.length > 1) {
    throw failure(
      `ignore-preflight-errors: Invalid value: "${lower.filter((name) => name !== 'all').join(',')}": don't specify individual checks if 'all' is used`,
      EXIT.validation,
    );
  }
  const left: string[] = [];
  for (const { name, run } of checks) {
    const { warnings, errors } = await run();
    const ignore = lower.includes('all') || lower.includes(name.toLowerCase());
    for (const warning of [...warnings, ...(ignore ? errors : [])]) io.err(`\t[WARNING ${name}]: ${warning}\n`);
    if (!ignore) left.push(...errors.map((error) => `\t[ERROR ${name}]: ${error}`));
  }
  if (left.length === 0) return;
  const text = [
    '[preflight] Some fatal errors occurred:',
    ...left,
    '[preflight] If you know what you are doing, you can make a check non-fatal with `--ignore-preflight-errors=...`',
  ];
  throw failure(`error execution phase preflight: ${text.join('\n')}`, EXIT.preflight);
}

export const announce = (io: Io): void => line(io, '[preflight] Running pre-flight checks');
