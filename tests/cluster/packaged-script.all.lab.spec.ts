import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { packagesOf } from '@windlass/driver-kit/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { healed, plainParams, scaled, script } from '@windlass/k8s-mgmt/testing';
import { nodesCome } from '../support/nodes-come.js';
import { labCluster } from './support/lab-cluster.js';

const bytes = readFileSync(new URL('./contract-install.sh', import.meta.url));
const file = { ...script('#!/bin/bash'), size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };

describe('a cluster of lab VMs, by a packaged script of the old contract', () => {
  let lab: Awaited<ReturnType<typeof labCluster>>;

  beforeAll(async () => {
    lab = await labCluster({
      params: plainParams(),
      images: ['ubuntu-22.04', 'ubuntu-22.04'],
      hook: { files: [file] },
      packages: packagesOf({ [file.path]: bytes }),
    });
  });
  afterAll(() => lab.end());

  const inCluster = (...query: string[]) =>
    lab.fleet.exec('server-master-0', ['kubectl', '--kubeconfig=/home/ubuntu/.kube/config', ...query]);
  const rows = async (): Promise<string[]> => {
    const { stdout } = await inCluster('get', 'nodes', '--no-headers');
    return stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/).slice(0, 2).join(' '))
      .sort();
  };
  const tokens = async (): Promise<string[]> => {
    const { stdout } = await inCluster('-n', 'kube-system', 'get', 'secrets', '-o', 'name');
    return stdout.split('\n').filter((line) => line.includes('bootstrap-token'));
  };
  const peersOf = async (server: string) => (await lab.fleet.exec(server, ['cat', '/etc/hosts'])).stdout;

  it('stands when the script has run once on each node, and nothing it printed was shown', async () => {
    await lab.runner.run();
    expect(lab.vims.vims.size).toBe(1);
    await nodesCome(rows, ['master10 Ready', 'worker11 Ready']);
    const output = lab.runner.outputs.get('run-install-script:master10') as { join: { token: string } };
    expect(output.join.token).toMatch(/^[a-z0-9]{6}\.[a-z0-9]{16}$/);
    expect(lab.lines.join('\n')).not.toContain(output.join.token);
  });

  it('gets a worker by the same script, which every node knows and which leaves no token behind', async () => {
    const vnfc = await lab.boot('ubuntu-22.04');
    const affectedVnfcs = [{ changeType: 'ADDED' as const, vnfc }];
    await lab.operation({ ...scaled('scale_end'), affectedVnfcs }).runner.run();
    await nodesCome(rows, ['master10 Ready', 'worker11 Ready', 'worker12 Ready']);
    for (const server of ['server-master-0', 'server-worker-1']) expect(await peersOf(server)).toMatch(/\d worker12$/m);
    expect(await tokens()).toEqual([]);
  });

  it('gets a fresh VM in the place of a worker that is healed', async () => {
    const { id } = lab.vnfcs[1]!;
    await lab.operation(healed('heal_start', [id])).runner.run();
    await nodesCome(rows, ['master10 Ready', 'worker12 Ready']);
    await lab.replace('ubuntu-22.04', 1);
    await lab.operation(healed('heal_end', [id])).runner.run();
    await nodesCome(rows, ['master10 Ready', 'worker11 Ready', 'worker12 Ready']);
    expect(await tokens()).toEqual([]);
  });

  it('loses a worker, which its peers forget', async () => {
    const affectedVnfcs = [{ changeType: 'REMOVED' as const, vnfc: lab.vnfcs[2]! }];
    await lab.operation({ ...scaled('scale_start'), affectedVnfcs }).runner.run();
    await nodesCome(rows, ['master10 Ready', 'worker11 Ready']);
    for (const server of lab.vnfcs.slice(0, 2).map(({ resourceId }) => resourceId))
      expect(await peersOf(server)).not.toContain('worker12');
  });
});
