import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The script that runs on hosts, and the name that its content gives it there. */
export interface RunnerScript {
  readonly text: string;
  readonly sha256: string;
}

const hashed = (text: string): RunnerScript => ({ text, sha256: createHash('sha256').update(text).digest('hex') });

let own: RunnerScript | undefined;

/** This package's `runner/jobs.sh`, read once; or the text given. */
export function runnerScript(text?: string): RunnerScript {
  if (text !== undefined) return hashed(text);
  own ??= hashed(readFileSync(new URL('../../runner/jobs.sh', import.meta.url), 'utf8'));
  return own;
}
