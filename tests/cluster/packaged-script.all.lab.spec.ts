import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainParams, script } from '@windlass/k8s-mgmt/testing';
import { labCluster } from './support/lab-cluster.js';

const bytes = readFileSync(new URL('./old-contract-install.sh', import.meta.url));
const file = { ...script('#!/bin/bash'), size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };

describe('a cluster of lab VMs, by a packaged script of the old contract', () => {
  let lab: Awaited<ReturnType<typeof labCluster>>;

  beforeAll(async () => {
    lab = await labCluster({
      params: plainParams(),
      images: ['ubuntu-22.04', 'ubuntu-22.04'],
      hook: { files: [file] },
      packages: { read: () => Promise.resolve(bytes) },
    });
  });
  afterAll(() => lab.end());

  it('stands when the script has run once on each node, and nothing it printed was shown', async () => {
    await lab.runner.run();
    expect(lab.vims.vims.size).toBe(1);
    const { stdout } = await lab.fleet.exec('server-master-0', [
      'kubectl',
      '--kubeconfig=/home/ubuntu/.kube/config',
      'get',
      'nodes',
      '--no-headers',
    ]);
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/).slice(0, 2).join(' '));
    expect(rows.sort()).toEqual(['master10 Ready', 'worker11 Ready']);
    const output = lab.runner.outputs.get('run-install-script:master10') as { join: { token: string } };
    expect(output.join.token).toMatch(/^[a-z0-9]{6}\.[a-z0-9]{16}$/);
    expect(lab.lines.join('\n')).not.toContain(output.join.token);
  });
});
