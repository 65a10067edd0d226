import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seconds, type JsonObject } from '@windlass/foundation';
import type { MessagingLog } from '@windlass/messaging';
import type { StepRun } from '@windlass/saga';
import type { Executable } from '../driver-process.js';

/** A driver in sh that a test wrote, and the driver's log. */
export interface WrittenDriver {
  executable: Executable;
  logged: string[];
  remove(): void;
}

/** The default description of such a driver. */
export const DESCRIBES =
  '{"driver":"written","version":"1.0.0","service":"written-mgmt","actions":[{"name":"act","version":1,"undo":true,"silenceSeconds":60}]}';

/**
 * Writes a driver in sh.
 * @param run the script of a run, where $line is the request
 * @param more the scripts of other verbs
 */
export function writtenDriver(run: string, more: Readonly<Record<string, string>> = {}): WrittenDriver {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-written-driver-'));
  const path = join(folder, 'driver');
  const answers = { describe: `echo '{"say":"answer","answer":${DESCRIBES}}'`, run, undo: run, ...more };
  const cases = Object.entries(answers).map(([verb, text]) => `*'"ask":"${verb}"'*)\n${text}\n;;`);
  writeFileSync(path, `#!/bin/sh\nread -r line\ncase $line in\n${cases.join('\n')}\nesac\n`);
  chmodSync(path, 0o755);
  const logged: string[] = [];
  const note = (message: string, fields: unknown): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log: MessagingLog = { info: note, warn: note, error: note };
  return {
    executable: { path, environment: { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' }, log },
    logged,
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** A claim of a step of such a driver. */
export const runWith = (input: JsonObject, more: Partial<StepRun> = {}): StepRun => ({
  operationId: 'o',
  stepId: 's',
  epoch: 1,
  attempt: 1,
  attemptEpoch: 1,
  resumed: false,
  phase: 'do',
  target: null,
  tenant: 't',
  input,
  signal: new AbortController().signal,
  assertLease: () => undefined,
  leaseLeft: () => seconds(30),
  onlyWaits: () => undefined,
  progress: () => undefined,
  ...more,
});
