import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import { afterEach, expect, it } from 'vitest';
import { admit, admitted, onAdmission } from './third-parties.js';

const folder = mkdtempSync(join(tmpdir(), 'windlass-third-parties-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a file that holds no admission keeps out nobody else, stops nothing that runs, and is named', async () => {
  mkdirSync(join(folder, 'secrets'));
  await admit(folder, { service: 'good-mgmt', drivers: ['good'] });
  const said: string[] = [];
  let heard = 0;
  const unhear = onAdmission(
    folder,
    () => {
      admitted(folder, (line) => said.push(line));
      heard += 1;
      throw new Error('the server is gone');
    },
    (line) => said.push(line),
  );
  writeFileSync(join(folder, 'drivers', 'cut.json'), '{"service":"cut-');
  writeFileSync(join(folder, 'drivers', 'other.json'), '[]');
  await waitUntil(() => Promise.resolve(heard >= 2 || undefined), { for: 'the files', within: seconds(20), every: millis(20) });
  unhear();
  expect(admitted(folder, () => undefined).map(({ service }) => service)).toEqual(['good-mgmt']);
  expect(said.join('\n')).toMatch(/cut\.json admits no driver: expected a JSON object/);
  expect(said.join('\n')).toMatch(/other\.json admits no driver/);
  expect(said.join('\n')).toMatch(/not admitted: Error: the server is gone/);
});
