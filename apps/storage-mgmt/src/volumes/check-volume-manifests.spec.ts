import { checkVolumeManifests, type CheckVolumeManifestsInput, type ExportedVolumes } from '@windlass/driver-kit';
import { FakeVims, hookContextOf, INSTANCE, packagesOf, PlanRunner } from '@windlass/driver-kit/testing';
import { FakeHosts } from '@windlass/mgmt-driver/testing';
import { stepOf } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import { boundActions } from '../actions.js';
import { manifest, SERVER } from '../testing/volume-bench.js';

const exported = (more: Partial<ExportedVolumes> = {}): ExportedVolumes => ({
  servers: [SERVER],
  mounts: ['/volume'],
  exports: [{ directory: '/volume/nfs/pv1', to: '10.10.0.0/24' }],
  nodes: [{ name: 'vm-worker', addresses: ['fd00::31', '10.10.0.31'] }],
  ...more,
});

/** Reads these files of a package. */
function checked(files: Record<string, string>, more: Partial<CheckVolumeManifestsInput> = {}): Promise<unknown> {
  const hosts = new FakeHosts();
  const input: CheckVolumeManifestsInput = {
    instance: INSTANCE,
    manifests: Object.keys(files).map((path) => ({
      file: { vnfPkgId: 'package', path, size: 1, sha256: 'ab'.repeat(32) },
      server: SERVER,
    })),
    ...more,
  };
  const actions = boundActions({ hosts, vims: new FakeVims(() => INSTANCE), packages: packagesOf(files) });
  return new PlanRunner(
    { root: stepOf(checkVolumeManifests, { id: 'check', input }) },
    { actions, hook: hookContextOf(), params: {} },
  ).run();
}
const pv = (path: string, name = 'pv1'): Record<string, string> => ({
  'a.yaml': manifest(name).replace(`path: /volume/nfs/${name}`, `path: ${path}`),
});

describe('manifests of PersistentVolumes, read before anything is made', () => {
  it('are right where the server exports what they name, or a folder over it, to every node', async () => {
    await checked(pv('/volume/nfs/pv1'), { exported: exported() });
    await checked(pv('/volume/nfs/pv1/inner/'), { exported: exported() });
    const exports = ['10.10.0.31', '192.168.0.0/16'].map((to) => ({ directory: '/volume/nfs/pv1/', to }));
    await checked(pv('/volume/nfs/pv1'), { exported: exported({ exports }) });
  });

  it.each([
    ['no YAML', { 'a.yaml': 'a: [\n' }, 'volumes.bad-manifest'],
    ['of another kind', { 'a.yaml': 'kind: Secret\n' }, 'volumes.bad-manifest'],
    ['without a path', { 'a.yaml': manifest('pv1').replace('path: /volume/nfs/pv1', 'other: x') }, 'volumes.bad-manifest'],
    ['with a path of several lines', pv('"/a\\n/b"'), 'volumes.bad-manifest'],
    ['of one name in two files', { 'a.yaml': manifest('pv1'), 'b.yaml': manifest('pv1') }, 'volumes.same-name'],
  ])('are refused that are %s', async (_title, files, code) => {
    await expect(checked(files)).rejects.toMatchObject({ name: 'TerminalError', code });
  });

  it.each([
    ['another folder', '/volume/nfs/pv2', {}],
    ['a folder that only begins like it', '/volume/nfs/pv10', {}],
    ['the folder over it', '/volume/nfs', {}],
    [
      'a volume that is mounted in it, which NFS does not show',
      '/volume/nfs/pv1/inner/x',
      { mounts: ['/volume', '/volume/nfs/pv1/inner'] },
    ],
  ])('are refused that name %s: nobody could mount it', async (_title, path, more) => {
    await expect(checked(pv(path), { exported: exported(more) })).rejects.toMatchObject({
      code: 'volumes.not-exported',
      message: expect.stringMatching(/pv1 \(a\.yaml of the package\) is .* exports \/volume\/nfs\/pv1: make/) as string,
    });
  });

  it('are refused where a node’s address is not among those that it is exported to; the nodes are named', async () => {
    const nodes = [
      { name: 'vm-1', addresses: ['10.10.0.31'] },
      { name: 'vm-2', addresses: ['10.10.1.31'] },
      { name: 'vm-3', addresses: ['fd00::1'] },
    ];
    await expect(checked(pv('/volume/nfs/pv1'), { exported: exported({ nodes }) })).rejects.toMatchObject({
      code: 'volumes.not-exported-to',
      message: expect.stringMatching(
        /by vm-2 \(10\.10\.1\.31\), vm-3 \(fd00::1\): \/volume\/nfs\/pv1 is exported to 10\.10\.0\.0\/24/,
      ) as string,
    });
  });

  it('are not held against the exports of another server', async () => {
    await checked(pv('/elsewhere'), { exported: exported({ servers: ['10.10.0.99'] }) });
  });
});
