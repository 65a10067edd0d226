import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { minutes } from '@windlass/foundation';
import { home, startDeployed, type Deployed } from '../support/deployed.js';
import { ONCE_CLEANED_UP } from '../support/cleaned-up.js';
import { OpenStackClient } from './support/client.js';

/** Some thirty commands, each of which takes ten seconds on a machine that does much else. */
const WITHIN = minutes(30);

let deployed: Deployed;
let client: OpenStackClient;
beforeAll(async () => {
  deployed = await startDeployed();
  client = await OpenStackClient.with({});
  // The page names the data folder that `./windlass up` has by default.
  await mkdir(join(client.folder, '.cache/windlass'), { recursive: true });
  await symlink(deployed.dataDir, join(client.folder, '.cache/windlass/data'));
});
afterAll(async () => {
  await client.close();
  await deployed.close();
});

it(
  'docs/guides/openstack-client.md works as it stands, and leaves nothing behind',
  async () => {
    const before = deployed.lab.emulator.inventory();
    const page = await readFile(join(home, 'docs/guides/openstack-client.md'), 'utf8');
    const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
    expect(blocks.length).toBeGreaterThan(5);
    const { status, stdout, stderr } = await client.shell(`set -x\ncd ${home}\n${blocks.join('')}`, WITHIN);
    expect(status, `${stdout.slice(-4_000)}\n${stderr.slice(-4_000)}`).toBe(0);
    await expect.poll(() => deployed.lab.emulator.inventory(), ONCE_CLEANED_UP).toEqual(before);
    for (const printed of ['INSTANTIATED', 'edge-7', 'is deleted successfully', 'All specified vim(s) deleted successfully'])
      expect(`${stdout}${stderr}`).toContain(printed);
  },
  WITHIN + minutes(1),
);
