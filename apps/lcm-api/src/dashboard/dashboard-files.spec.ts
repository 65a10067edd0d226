import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DashboardFiles } from './dashboard-files.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'windlass-dashboard-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('a dashboard that is not built is told as such, and served as soon as it is', async () => {
  const files = new DashboardFiles(folder);
  await expect(files.entry()).rejects.toMatchObject({ code: 'dashboard.not-built', status: 404 });
  const manifest = { script: 'main-A.js', styles: 'style-B.css', files: ['main-A.js', 'style-B.css', 'notes.txt'] };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  expect(await files.entry()).toMatchObject({ script: 'main-A.js', styles: 'style-B.css' });
});

it('what the manifest does not name is not there, and neither is what no page needs', async () => {
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ script: 'a.js', styles: 'b.css', files: ['a.js', 'notes.txt'] }));
  const files = new DashboardFiles(folder);
  expect(await files.find('a.js')).toEqual({ path: join(folder, 'a.js'), type: 'text/javascript; charset=utf-8' });
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ script: 'a.js', styles: 'b.css', files: ['a.js', 'a.js.gz'] }));
  expect(await files.find('a.js')).toMatchObject({ path: join(folder, 'a.js'), packed: join(folder, 'a.js.gz') });
  for (const name of ['a.js.gz', 'manifest.json', 'notes.txt', '../a.js', '/etc/passwd', ''])
    expect(await files.find(name)).toBeUndefined();
});
