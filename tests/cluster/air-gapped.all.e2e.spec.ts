import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { minutes } from '@windlass/foundation';
import type { RunningLab } from '@windlass/workbench';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RestCluster } from './support/rest-cluster.js';

const REGISTRY = 'registry.site.example';
const REPOSITORY = `${REGISTRY}/kubernetes`;

/** Names of the internet that a cluster needs by default. */
const CUT_OFF = [
  'registry.k8s.io',
  'ghcr.io',
  'registry-1.docker.io',
  'quay.io',
  'pkgs.k8s.io',
  'download.docker.com',
  'deb.debian.org',
];

const WITHIN = minutes(12);

/** What the operator of such a site sets: the registry, and the mirror with its key. */
async function told({ fleet: { repositoryUrl } }: RunningLab): Promise<Record<string, string>> {
  const mirror = `${repositoryUrl}/core:/stable:/v{minor}/deb/`;
  const key = await (await fetch(`${mirror.replace('{minor}', '1.34')}Release.key`)).text();
  const homedir = await mkdtemp(join(tmpdir(), 'windlass-gpg-'));
  const argv = ['--homedir', homedir, '--batch', '--no-options', '--show-keys', '--with-colons'];
  const shown = execFileSync('gpg', argv, { input: key, encoding: 'utf8' });
  await rm(homedir, { recursive: true });
  const [, fingerprint = ''] = /^fpr:+([0-9A-F]{40}):/m.exec(shown) ?? [];
  return { KUBERNETES_IMAGE_REPOSITORY: REPOSITORY, KUBERNETES_APT_URL: mirror, KUBERNETES_APT_FINGERPRINT: fingerprint };
}

describe('a site without the internet, with one registry and one mirror of packages', () => {
  let cluster: RestCluster;
  beforeAll(async () => {
    cluster = await RestCluster.start('simple', { siteRegistry: REGISTRY, told });
  }, WITHIN);
  afterAll(() => cluster.close());

  /** Every node has everything of the registry and the mirror, and could have it of nowhere else. */
  async function expectNothingOfTheInternet(): Promise<void> {
    const mirror = cluster.deployed.lab.fleet.repositoryUrl;
    for (const machine of await cluster.machines()) {
      const said = async (script: string): Promise<string[]> =>
        (await cluster.run(machine, ['bash', '-c', script])).trim().split('\n').filter((line) => line !== ''); // prettier-ignore
      expect(await said(`for name in ${CUT_OFF.join(' ')}; do getent hosts "$name" && echo "$name"; done; true`)).toEqual([]);
      // By tag, without digests.
      // By tag, without digests. A node is Ready before the last of its pods has its image.
      const images = (): Promise<string[]> =>
        said("ctr -n k8s.io images ls -q | grep -v '@\\|^sha256:' | sed 's/:[^:]*$//' | sort -u");
      const wanted = ['flannel', 'flannel-cni-plugin', 'kube-proxy'].map((name) => `${REPOSITORY}/${name}`);
      await expect.poll(images, { timeout: 120_000, interval: 1_000 }).toEqual(expect.arrayContaining(wanted));
      expect((await images()).filter((image) => !image.startsWith(`${REPOSITORY}/`))).toEqual([]);
      // No container runs on stand-ins, so that nobody pulls this one.
      expect(await said("grep -ho 'sandbox_image = .*' /etc/containerd/config.toml; true")).toEqual([
        `sandbox_image = "${REPOSITORY}/pause:3.10.1"`,
      ]);
      const sources = await said("grep -rhoE 'https?://[^ ]+' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null; true");
      expect(sources).toContain(`${mirror}/core:/stable:/v1.34/deb/`);
      expect(sources.filter((source) => !source.startsWith(mirror))).toEqual([]);
      const pulled = await said('ctr -n k8s.io images pull registry.k8s.io/pause:3.10.1 2>&1 >/dev/null; true');
      expect(pulled.join(' ')).toMatch(/lookup registry\.k8s\.io/);
    }
  }

  it(
    'makes a cluster',
    async () => {
      await cluster.instantiate();
      await cluster.agrees(1, 2);
      await expectNothingOfTheInternet();
    },
    WITHIN,
  );

  it(
    'has a worker come',
    async () => {
      await cluster.scale('worker', 'SCALE_OUT');
      await cluster.agrees(1, 3);
      await expectNothingOfTheInternet();
    },
    WITHIN,
  );

  it(
    'heals a worker',
    async () => {
      const [worker] = await cluster.of('worker');
      await cluster.heal([worker!]);
      expect((await cluster.machines()).map(({ serverId }) => serverId)).not.toContain(worker!.serverId);
      await cluster.agrees(1, 3);
      await expectNothingOfTheInternet();
    },
    WITHIN,
  );

  it('takes it away', () => cluster.terminate(), WITHIN);
});
