import { createHash } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { sha256, zipOf, type PackageFiles } from '../testing/package-factory.js';
import { readSigned, saidOfSignature } from '../testing/signed-packages.js';
import { AUTHORITY, MANIFEST, manifestOf, packageWithManifest, SigningDesk, withSignature } from '../testing/signing-desk.js';

const desk = new SigningDesk();
afterAll(() => desk.close());

const root = desk.certificate('Root', { extensions: AUTHORITY });
const maker = desk.certificate('Maker', { by: root });
const required = { certificates: [root.pem], required: true };
const optional = { ...required, required: false };

const signed = (files: PackageFiles): PackageFiles => withSignature(files, (manifest) => desk.sign(manifest, maker));
const image = (hash: string) => `\nSource: Files/images/small.img\nAlgorithm: SHA-256\nHash: ${hash}\n`;

describe('a file that the signed manifest gives no hash for', () => {
  const meta = 'TOSCA-Metadata/TOSCA.meta';
  const complete = signed(packageWithManifest());
  const namedInMeta = `Entry-Definitions: Definitions/top.yaml\nETSI-Entry-Manifest: ${MANIFEST}\n\nName: x.txt\nAlgorithm: SHA-256\nHash: ${sha256('x')}\n`;
  const withoutMeta = manifestOf({ ...packageWithManifest(), [meta]: undefined });
  const shortHash = createHash('sha224').update('x').digest('hex');
  const withShortHash = `${manifestOf(packageWithManifest())}\nSource: x.txt\nAlgorithm: SHA-224\nHash: ${shortHash}\n`;

  test.each<[string, PackageFiles, string]>([
    ['a script', { ...complete, 'Scripts/evil.sh': 'echo evil\n' }, 'Scripts/evil.sh'],
    ['a folder of templates', { ...complete, 'BaseHOT/evil/top.yaml': 'a: 1' }, 'BaseHOT/evil/top.yaml'],
    ['an image', { ...complete, 'Files/images/small.img': 'evil' }, 'Files/images/small.img'],
    ['TOSCA.meta', signed(packageWithManifest({ [MANIFEST]: withoutMeta })), meta],
    ['one with a hash in TOSCA.meta alone', { ...signed(packageWithManifest({ [meta]: namedInMeta })), 'x.txt': 'x' }, 'x.txt'],
    ['one with a hash by SHA-224', { ...signed(packageWithManifest({ [MANIFEST]: withShortHash })), 'x.txt': 'x' }, 'x.txt'],
  ])('is refused, and named: %s', async (_, files, name) => {
    await expect(readSigned(files, required)).rejects.toMatchObject({
      code: 'package.not-covered',
      member: MANIFEST,
      reason: expect.stringContaining(`it is signed by CN=Maker, O=Tests, and gives no hash for ${name}: `) as string,
    });
    expect(saidOfSignature(await readSigned(files, optional))).toEqual(['package.not-covered']);
  });

  test('and an image, which nobody else holds against the manifest, must have the hash that stands there', async () => {
    const base = packageWithManifest();
    const files = { ...base, 'Files/images/small.img': 'an image' };
    const right = { ...files, [MANIFEST]: String(base[MANIFEST]) + image(sha256('an image')) };
    expect(saidOfSignature(await readSigned(signed(right), required))).toEqual(['package.signed']);
    const other = { ...files, [MANIFEST]: String(base[MANIFEST]) + image(sha256('another')) };
    await expect(readSigned(signed(other), required)).rejects.toMatchObject({
      code: 'meta.hash-mismatch',
      member: 'Files/images/small.img',
    });
  });

  test('is none where the manifest names it as the signature or the certificate of a single file', async () => {
    const base = packageWithManifest();
    const manifest = `${String(base[MANIFEST])}Signature: Files/a.cms\nCertificate: Files/a.cert\n`;
    const files = { ...signed({ ...base, [MANIFEST]: manifest }), 'Files/a.cms': 'x', 'Files/a.cert': 'y' };
    expect(saidOfSignature(await readSigned(files, required))).toEqual(['package.signed']);
  });
});

describe('a package without a signature', () => {
  test('is refused where signatures are required, with what to do', async () => {
    for (const files of [packageWithManifest(), packageWithManifest({ [MANIFEST]: 'metadata:\n' })]) {
      await expect(readSigned(zipOf(files), required)).rejects.toMatchObject({
        code: 'package.unsigned',
        message: expect.stringContaining('LCM_PACKAGE_SIGNATURES=optional') as string,
      });
    }
  });

  test('is warned of where they are optional, and not where nobody is trusted', async () => {
    expect(saidOfSignature(await readSigned(packageWithManifest(), optional))).toEqual(['package.unsigned']);
    expect(saidOfSignature(await readSigned(packageWithManifest()))).toEqual([]);
  });

  test('is another than one whose signature was not verified, since nobody is trusted', async () => {
    expect(saidOfSignature(await readSigned(signed(packageWithManifest())))).toEqual(['package.signature-unverified']);
  });
});
