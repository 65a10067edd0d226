import { describe, expect, test } from 'vitest';
import { readVnfPackage } from '../read-vnf-package.js';
import { csarOf, singleFileVnfd, smallestPackage, type PackageFiles } from '../testing/package-factory.js';

const VNFD = singleFileVnfd({ vdu: '      properties: { name: web }' }).replace(/    VDU1_CP1:[^]*?VDU1 } \]\n/, '');
const cnf = (files: PackageFiles): PackageFiles =>
  smallestPackage({ 'Definitions/top.yaml': VNFD, 'BaseHOT/default/top.yaml': undefined, ...files });
const read = async (files: PackageFiles) => readVnfPackage(await csarOf(cnf(files)));
const MANIFEST = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\n';

describe('a package of containers', () => {
  test.each<[string, PackageFiles]>([
    ['in Files/kubernetes', { 'Files/kubernetes/web.yaml': MANIFEST }],
    ['in a folder of any name', { 'Artifacts/manifests/web.yml': MANIFEST }],
    ['in Scripts, with line ends of Windows', { 'Scripts/web.yaml': MANIFEST.replace(/\n/g, '\r\n') }],
    ['in JSON', { 'Files/web.json': '{\n  "apiVersion": "v1",\n  "kind": "Pod"\n}' }],
    ['in a file of several documents', { 'Files/all.yaml': `# all\n---\n${MANIFEST}---\n${MANIFEST}` }],
  ])('is onboarded without an image or a template, with its manifests %s', async (_, files) => {
    const { model, warnings } = await read(files);
    expect(model.flavours).toMatchObject([{ id: 'default', vdus: [{ id: 'VDU1' }] }]);
    expect(model.flavours[0]?.baseHot).toBeUndefined();
    expect(warnings).toMatchObject([{ code: 'flavour.containers-alone' }]);
  });

  test('is none where no file is a manifest', async () => {
    await expect(read({ 'Files/values.yaml': 'kind: none\n' })).rejects.toMatchObject({ code: 'vnfd.not-translatable' });
  });
});
