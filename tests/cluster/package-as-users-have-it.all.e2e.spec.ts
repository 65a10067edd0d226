import { spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { text as all } from 'node:stream/consumers';
import { join } from 'node:path';
import { minutes } from '@windlass/foundation';
import { onboard } from '@windlass/windlass';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { home, newCluster, startDeployed, type Deployed } from '../support/deployed.js';
import { packageAsUsersHaveIt } from './package-as-users-have-it.js';
import { ONCE_CLEANED_UP } from '../support/cleaned-up.js';

const NODES = ['kubectl', '--kubeconfig=/home/ubuntu/.kube/config', 'get', 'nodes', '--no-headers'];

let deployed: Deployed;
let zip: string;

beforeAll(async () => {
  deployed = await startDeployed();
  zip = join(deployed.dataDir, 'package.zip');
  await writeFile(zip, packageAsUsersHaveIt());
});
afterAll(async () => {
  await rm(zip, { force: true });
  await deployed.close();
});

describe('a package as users have it: sizes that are off, image names of its own, a script whose repository is gone', () => {
  it('is onboarded with warnings, deploys flavour simple by our actions, which are named, and is taken away', async () => {
    const { api, lab, dataDir, deployment } = deployed;
    const pkg = await onboard(api, zip);
    expect(JSON.stringify(pkg.windlassWarnings)).toContain('sw_image_data declares 2000000000 bytes, the file has 300000');
    const before = JSON.stringify(lab.emulator.inventory());
    const { path, request } = await newCluster(deployed);
    const body = join(dataDir, 'body.json');
    await writeFile(body, JSON.stringify(request));

    const command = [
      'vnf',
      'instantiate',
      path.split('/').at(-1) ?? '',
      body,
      '--url',
      deployment.url,
      '--token-file',
      deployment.secrets.tokenFile,
    ];
    const child = spawn('node', [join(home, 'apps/windlass/dist/main.js'), ...command], { stdio: ['ignore', 'pipe', 'inherit'] });
    const shown = await all(child.stdout);
    expect(shown).toContain('INSTANTIATE COMPLETED');
    expect(shown).toMatch(/note: Scripts\/install_k8s_cluster\.sh is not run: it takes Kubernetes from \S+, which was shut down/);
    expect(shown).toContain('share-image Image for masterNode kubernetes');

    const instance = await api.get(path);
    const { vnfcResourceInfo } = instance.instantiatedVnfInfo as unknown as {
      vnfcResourceInfo: { vduId: string; computeResource: { resourceId: string } }[];
    };
    const master = vnfcResourceInfo.find(({ vduId }) => vduId === 'masterNode')?.computeResource.resourceId ?? '';
    const states = async (): Promise<(string | undefined)[]> =>
      (await lab.fleet.exec(master, NODES)).stdout.trim().split('\n').map((line) => line.split(/\s+/)[1]); // prettier-ignore
    await expect.poll(states, { timeout: 120_000, interval: 500 }).toEqual(['Ready', 'Ready', 'Ready']);

    const terminated = await api.follow(
      await api.accept(`${path}/terminate`, { terminationType: 'FORCEFUL' }),
      minutes(2),
      () => undefined,
    );
    expect(terminated).toMatchObject({ operationState: 'COMPLETED' });
    await expect.poll(() => JSON.stringify(lab.emulator.inventory()), ONCE_CLEANED_UP).toBe(before);
  });
});
