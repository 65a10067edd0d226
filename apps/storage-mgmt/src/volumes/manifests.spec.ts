import { describe, expect, it } from 'vitest';
import { manifest } from '../testing/volume-bench.js';
import { readManifest } from './manifests.js';

const source = { path: 'Files/kubernetes/nfs-pv1.yaml', server: '10.10.0.50', instance: 'the-instance' };
const refused = (text: string): string => {
  try {
    readManifest(text, source);
  } catch (error) {
    expect(error).toMatchObject({ code: 'volumes.bad-manifest' });
    return (error as Error).message;
  }
  return 'nothing was refused';
};

describe('a manifest of PersistentVolumes', () => {
  it('gets the server’s address where it belongs, and the same word elsewhere stays', () => {
    const text = manifest('pv1').replace('  name: pv1', '  name: pv1\n  annotations:\n    note: "server: 0.0.0.0"');
    const [volume] = readManifest(text, source);
    expect(volume!.object).toMatchObject({
      metadata: { annotations: { note: 'server: 0.0.0.0' } },
      spec: { nfs: { server: '10.10.0.50', path: '/volume/nfs/pv1' }, capacity: { storage: '1Gi' } },
    });
  });

  it('gets the server’s address where it has none, or a name', () => {
    for (const server of ['', '    server: nfs.example.org\n']) {
      const [volume] = readManifest(manifest('pv1').replace('    server: 0.0.0.0\n', server), source);
      expect(volume!.object).toMatchObject({ spec: { nfs: { server: '10.10.0.50' } } });
    }
  });

  it('gets the instance’s label beside its own, whatever stands there', () => {
    const text = manifest('pv1').replace('  name: pv1', '  name: pv1\n  labels: { tier: gold, windlass/vnf-instance: another }');
    const [volume] = readManifest(text, source);
    expect(volume!.object).toMatchObject({ metadata: { labels: { tier: 'gold', 'windlass/vnf-instance': 'the-instance' } } });
  });

  it('may have several documents, and comments and directives before them', () => {
    const text = `%YAML 1.1\n---\n# the first\n${manifest('pv1')}---\n${manifest('pv2')}...\n---\n# nothing\n`;
    expect(readManifest(text, source).map(({ name }) => name)).toEqual(['pv1', 'pv2']);
  });

  it.each([
    [
      'of another kind',
      'apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n',
      'document 1 is of kind "Secret"; PersistentVolume',
    ],
    [
      'a second of another kind',
      `${manifest('pv1')}---\nkind: ClusterRoleBinding\n`,
      'document 2 is of kind "ClusterRoleBinding"',
    ],
    ['of no kind', 'metadata: {}\n', 'document 1 is of kind nothing'],
    ['of another version', manifest('pv1').replace('v1', 'v2'), 'has apiVersion "v2"; v1'],
    ['without a name', manifest('pv1').replace('  name: pv1', '  labels: {}'), 'has metadata.name nothing'],
    ['whose name is an option', manifest('pv1').replace('name: pv1', 'name: --all'), 'has metadata.name "--all"'],
    ['whose name is a number', manifest('pv1').replace('name: pv1', 'name: 12'), 'has metadata.name 12'],
    ['without an NFS source', manifest('pv1').replace('  nfs:', '  hostPath:'), '(pv1) has no spec.nfs'],
    [
      'with labels that are a list',
      manifest('pv1').replace('  name: pv1', '  name: pv1\n  labels: [a]'),
      'labels that are no map',
    ],
    ['a list', '- a\n- b\n', 'document 1 is no YAML map'],
    ['no YAML', 'a: [\n', 'document 1 is no YAML map'],
    ['a bomb', `a: &a [x,x,x,x,x,x,x,x,x]\n${'b: &b [*a,*a,*a,*a,*a,*a,*a,*a]\n'.repeat(3_000)}`, 'document 1 is no YAML map'],
    ['empty', '# nothing\n---\n', 'is empty'],
  ])('that is %s is refused with file and document', (_, text, reason) => {
    expect(refused(text)).toMatch(/^Files\/kubernetes\/nfs-pv1\.yaml of the package/);
    expect(refused(text)).toContain(reason);
  });
});
