import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder } from './scratch.js';

it('sweeps the folders of emulators that were killed, and leaves those of living ones', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'scratch-'));
  const dead = spawnSync(process.execPath, ['-e', '']).pid;
  mkdirSync(join(parent, `windlass-openstack-${dead}-abc`));
  mkdirSync(join(parent, `windlass-openstack-${process.pid}-def`));
  mkdirSync(join(parent, 'something-else'));
  const made = await scratchFolder(parent);
  expect(readdirSync(parent).sort()).toEqual(['something-else', `windlass-openstack-${process.pid}-def`, basename(made)].sort());
  rmSync(parent, { recursive: true });
});
