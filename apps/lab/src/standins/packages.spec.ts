import { describe, expect, it } from 'vitest';
import { KUBERNETES_VERSIONS, standinPackages } from './packages.js';

describe('the packages of the stand-ins', () => {
  it('have the names and versions of pkgs.k8s.io, in two minor versions', async () => {
    const packages = await standinPackages();
    const versions = (name: string): string[] => packages.filter((entry) => entry.name === name).map((entry) => entry.version);
    for (const name of ['kubeadm', 'kubelet', 'kubectl']) expect(versions(name)).toEqual([...KUBERNETES_VERSIONS]);
    expect(versions('cri-tools')).toHaveLength(2);
    expect(packages.find((entry) => entry.name === 'kubeadm')?.repository).toBe('core:/stable:/v1.34/deb');
  });

  it('say that they are stand-ins', async () => {
    for (const { description } of await standinPackages()) expect(description).toContain('windlass-lab');
  });

  it('bring each program as one file that needs nothing but Node', async () => {
    const files = (await standinPackages()).flatMap((entry) => entry.files);
    const programs = files.filter((file) => file.path.endsWith('.cjs'));
    expect(new Set(programs.map((file) => file.path)).size).toBe(6);
    for (const { content = '' } of programs) {
      const required = [...content.matchAll(/\brequire\("([^"]+)"\)/g)].map((match) => match[1] ?? '');
      expect(required.filter((name) => !name.startsWith('node:') && !['process', 'buffer'].includes(name))).toEqual([]);
      expect(content.length).toBeGreaterThan(50_000);
    }
  });
});
