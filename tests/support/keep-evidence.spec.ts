import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Evidence } from '@windlass/foundation/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepEvidence } from './keep-evidence.js';

let scratch: string;
beforeEach(() => (scratch = mkdtempSync(join(tmpdir(), 'windlass-evidence-'))));
afterEach(() => rmSync(scratch, { recursive: true }));

it('of a failed test the messages, the load, and the end of each log of its rigs are kept, and nothing else of them', async () => {
  const rig = join(scratch, 'rig');
  for (const folder of ['data/logs', 'data/secrets']) mkdirSync(join(rig, folder), { recursive: true });
  writeFileSync(join(rig, 'data/logs/lcm-api.log'), `${'x'.repeat(1024 * 1024)}the end`);
  writeFileSync(join(rig, 'data/secrets/own.log'), 'secret');
  writeFileSync(join(rig, 'data/token'), 'secret');
  symlinkSync('/etc/passwd', join(rig, 'data/passwd.log'));
  const stack = Array.from({ length: 100 }, (_one, n) => `line ${n}`).join('\n');
  const evidence = new Evidence();
  evidence.folder(rig);
  evidence.folder(join(scratch, 'removed'));
  for (let n = 0; n <= 5_000; n += 1) evidence.log('service')(`line ${n}.`);
  const keep = () => keepEvidence(join(scratch, 'kept'), 'it ends / well', [stack], evidence);
  await keep();

  const kept = join(scratch, 'kept/1-it-ends-well');
  expect(readdirSync(kept).sort()).toEqual(['failure.txt', 'rig-data-logs-lcm-api.log', 'service.log']);
  const log = readFileSync(join(kept, 'rig-data-logs-lcm-api.log'), 'utf8');
  expect(log).toHaveLength(1024 * 1024);
  expect(log.endsWith('the end')).toBe(true);
  const lines = readFileSync(join(kept, 'service.log'), 'utf8');
  expect([lines.includes('line 0.'), lines.includes('line 1.'), lines.includes('line 5000.')]).toEqual([false, true, true]);
  const told = readFileSync(join(kept, 'failure.txt'), 'utf8');
  for (const part of ['it ends / well\n', 'loadavg: ', 'pressure/cpu: ', 'line 39\n']) expect(told).toContain(part);
  expect(told).not.toContain('line 40\n');

  await keep();
  expect(readdirSync(join(scratch, 'kept')).sort()).toEqual(['1-it-ends-well', '2-it-ends-well']);
});
