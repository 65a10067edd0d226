import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Cache, removeFolder } from '../debian/cache.js';
import { run } from '../debian/command.js';
import { repository, type Repository } from '../debian/repository.js';
import { realKubernetesPackages } from './packages.js';
import { PARTS } from './parts.js';

let home: string;
let made: Repository;
/** The packages around programs that only say their names: their layout is what is looked at. */
beforeAll(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), 'windlass-debs-'));
  const binaries = path.join(home, 'binaries');
  for (const { to } of PARTS.flatMap(({ programs }) => programs)) {
    await mkdir(path.dirname(path.join(binaries, to)), { recursive: true });
    await writeFile(path.join(binaries, to), `#!/bin/sh\necho ${to}\n`);
  }
  const cache = await Cache.open(path.join(home, 'cache'), () => undefined);
  made = await repository(cache, [], realKubernetesPackages(binaries));
});
afterAll(() => removeFolder(home));

const CORE = '/core:/stable:/v1.34/deb/';
const served = (name: string) => made.files.get(name) ?? '';
const debAt = (name: string) => served(`${CORE}pool/${name}_amd64.deb`);
const filesOf = async (name: string): Promise<string[]> => {
  const lines = (await run('dpkg-deb', ['--contents', debAt(name)])).trim().split('\n');
  return lines.filter((line) => line.startsWith('-')).map((line) => line.replace(/^.* \./, ''));
};
const fieldOf = async (name: string, field: string) => (await run('dpkg-deb', ['--field', debAt(name), field])).trim();

it("they lie where pkgs.k8s.io has them, in both versions, signed with the repository's key", async () => {
  const packages = await readFile(served(`${CORE}Packages`), 'utf8');
  const found = [...packages.matchAll(/^Package: (.*)\nVersion: (.*)$/gm)].map(([, name, version]) => `${name} ${version}`);
  expect(found.sort()).toEqual([
    'cri-tools 1.34.0-1.1',
    'kubeadm 1.34.4-1.1',
    'kubeadm 1.34.5-1.1',
    'kubectl 1.34.4-1.1',
    'kubectl 1.34.5-1.1',
    'kubelet 1.34.4-1.1',
    'kubelet 1.34.5-1.1',
    'kubernetes-cni 1.7.1-1.1',
  ]);
  expect(served(`${CORE}Release.key`)).not.toBe('');
});

it("the kubelet's unit is its own, and kubeadm brings the drop-in", async () => {
  expect(await filesOf('kubelet_1.34.5-1.1')).toEqual(
    expect.arrayContaining(['/usr/bin/kubelet', '/usr/lib/systemd/system/kubelet.service', '/etc/default/kubelet']),
  );
  expect(await filesOf('kubeadm_1.34.5-1.1')).toEqual(
    expect.arrayContaining(['/usr/bin/kubeadm', '/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf']),
  );
  expect(await fieldOf('kubelet_1.34.5-1.1', 'Depends')).toContain('kubernetes-cni (>= 1.2.0)');
  expect(await fieldOf('kubeadm_1.34.5-1.1', 'Depends')).toContain('cri-tools (>= 1.30.0)');
});

it('the plugins lie with their papers in the folder that a container runtime may run all of', async () => {
  const files = await filesOf('kubernetes-cni_1.7.1-1.1');
  expect(files.filter((file) => file.startsWith('/opt/cni/bin/'))).toHaveLength(20);
  expect(files).toEqual(expect.arrayContaining(['/opt/cni/bin/LICENSE', '/opt/cni/bin/README.md', '/opt/cni/bin/portmap']));
});

it('each version has its own programs, and each package its licence', async () => {
  for (const version of ['1.34.4', '1.34.5']) {
    const unpacked = path.join(home, version);
    await run('dpkg-deb', ['--extract', debAt(`kubelet_${version}-1.1`), unpacked]);
    expect(await run(path.join(unpacked, 'usr/bin/kubelet'), [])).toBe(`v${version}/kubelet\n`);
  }
  for (const name of ['kubeadm_1.34.4-1.1', 'kubectl_1.34.4-1.1', 'cri-tools_1.34.0-1.1']) {
    const files = await filesOf(name);
    expect(files).toContain(`/usr/share/doc/${name.split('_')[0] ?? ''}/LICENSE`);
  }
});

it('every program that is built has a go.mod to build it from, and every archive a digest of its kind', async () => {
  for (const { module, downloads, programs } of PARTS) {
    expect(await readdir(module)).toContain('go.mod');
    for (const { digest, url } of downloads) {
      expect(digest.hex, url).toMatch(digest.algorithm === 'sha256' ? /^[0-9a-f]{64}$/ : /^[0-9a-f]{128}$/);
      expect(url).toMatch(/^https:/);
    }
    const fetched = downloads.flatMap((download) => Object.values(download.programs));
    if (downloads.length > 0) expect(fetched.sort()).toEqual(programs.map(({ to }) => to).sort());
  }
});
