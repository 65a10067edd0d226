import { afterAll, describe, expect, test } from 'vitest';
import { smallestPackage, zipOf } from '../testing/package-factory.js';
import { envelopeOf, readSigned, saidOfSignature } from '../testing/signed-packages.js';
import {
  AUTHORITY,
  MANIFEST,
  manifestOf,
  packageWithManifest,
  SIGNS,
  SigningDesk,
  withSignature,
  type SignOptions,
} from '../testing/signing-desk.js';

const desk = new SigningDesk();
afterAll(() => desk.close());

const root = desk.certificate('Root', { extensions: AUTHORITY });
const between = desk.certificate('Between', { by: root, extensions: AUTHORITY });
const maker = desk.certificate('Maker', { by: root });
const deep = desk.certificate('Deep Maker', { by: between, extensions: [...SIGNS, 'extendedKeyUsage=codeSigning'] });
const rsa = desk.certificate('RSA Maker', { by: root, key: 'rsa:2048' });

const trusts = (...certificates: { pem: string }[]) => ({ certificates: certificates.map(({ pem }) => pem), required: true });
const csar = zipOf(smallestPackage());

describe('a signature in the manifest', () => {
  test.each<[string, SignOptions]>([
    ['as openssl makes it', {}],
    ['by the signer’s key identifier', { more: ['-keyid'] }],
    ['without signed attributes', { more: ['-noattr'] }],
    ['that carries the content, too', { more: ['-nodetach'] }],
    ['in BER, as it is streamed', { more: ['-stream'] }],
    ['by SHA-512', { more: ['-md', 'sha512'] }],
  ])('is right: %s', async (_, options) => {
    const read = await readSigned(
      withSignature(packageWithManifest(), (manifest) => desk.sign(manifest, maker, options)),
      trusts(root),
    );
    expect(read.warnings).toContainEqual({
      code: 'package.signed',
      subject: MANIFEST,
      reason: 'its signature was verified: it is signed by CN=Maker, O=Tests',
    });
    expect(read.model.additionalArtifacts.map(({ artifactPath }) => artifactPath)).toContain('Scripts/install.sh');
  });

  test.each<[string, string[]]>([
    ['PKCS #1', []],
    ['PSS', ['-keyopt', 'rsa_padding_mode:pss']],
    ['PSS without attributes', ['-keyopt', 'rsa_padding_mode:pss', '-noattr']],
  ])('is right by RSA: %s', async (_, more) => {
    const files = withSignature(packageWithManifest(), (manifest) => desk.sign(manifest, rsa, { more }));
    expect(saidOfSignature(await readSigned(files, trusts(root)))).toEqual(['package.signed']);
  });

  test.each<[string, (manifest: string) => string]>([
    ['with other line ends', (manifest) => manifest.replaceAll('\n', '\r\n')],
    ['without the last line end', (manifest) => manifest.trimEnd()],
    ['both', (manifest) => manifest.trimEnd().replaceAll('\n', '\r\n')],
  ])('is right where the manifest was signed %s', async (_, signed) => {
    const files = withSignature(packageWithManifest(), (manifest) => desk.sign(signed(manifest), maker));
    expect(saidOfSignature(await readSigned(files, trusts(root)))).toEqual(['package.signed']);
  });

  test('has its certificate in a file that TOSCA.meta names', async () => {
    const meta = String(packageWithManifest()['TOSCA-Metadata/TOSCA.meta']);
    const files = packageWithManifest({ 'TOSCA-Metadata/TOSCA.meta': `${meta}ETSI-Entry-Certificate: Files/maker.cert\n` });
    const signed = withSignature(files, (manifest) => desk.sign(manifest, maker, { more: ['-nocerts'] }));
    const read = await readSigned({ ...signed, 'Files/maker.cert': maker.pem }, trusts(root));
    expect(saidOfSignature(read)).toEqual(['package.signed']);
  });

  test('has its certificate beside it in a package without TOSCA.meta', async () => {
    const { 'Definitions/top.yaml': top, 'BaseHOT/default/top.yaml': template } = smallestPackage();
    const files = { 'small.yaml': top, 'BaseHOT/default/top.yaml': template };
    const manifest = manifestOf(files);
    const signed = manifest + desk.sign(manifest, maker, { more: ['-nocerts'] }).toString();
    const read = await readSigned({ ...files, 'small.mf': signed, 'small.cert': maker.pem }, trusts(root));
    expect(saidOfSignature(read)).toEqual(['package.signed']);
  });

  test('is right by one of several signers who is trusted', async () => {
    const stranger = desk.certificate('Stranger');
    const more = ['-signer', stranger.certificateFile, '-inkey', stranger.keyFile];
    const files = withSignature(packageWithManifest(), (manifest) => desk.sign(manifest, maker, { more }));
    expect(saidOfSignature(await readSigned(files, trusts(root)))).toEqual(['package.signed']);
  });
});

describe('a signature beside the CSAR', () => {
  test.each(['PEM', 'DER'] as const)('is right with the certificate in it, in %s', async (form) => {
    const zip = envelopeOf(csar, { 'small.cms': desk.sign(csar, maker, { form }) });
    const read = await readSigned(zip, trusts(root));
    expect(saidOfSignature(read)).toEqual(['package.signed']);
    expect(read.warnings.find(({ code }) => code === 'package.signed')?.subject).toBe('small.csar');
    expect(read.model.entryDefinitions).toBe('Definitions/top.yaml');
  });

  test.each(['PEM', 'DER'] as const)('is right with the certificate beside it, in %s', async (form) => {
    const cms = desk.sign(csar, maker, { form, more: ['-nocerts'] });
    const zip = envelopeOf(csar, { 'small.cms': cms, 'small.cert': maker.pem });
    expect(saidOfSignature(await readSigned(zip, trusts(root)))).toEqual(['package.signed']);
  });

  test('covers every file, whatever a manifest in the CSAR says', async () => {
    const inner = zipOf(packageWithManifest({ [MANIFEST]: 'metadata:\n' }));
    const zip = envelopeOf(inner, { 'small.cms': desk.sign(inner, maker) });
    expect(saidOfSignature(await readSigned(zip, trusts(root)))).toEqual(['package.signed']);
  });
});

describe('a signer is trusted', () => {
  const signedBy = (by: typeof maker, options?: SignOptions) => envelopeOf(csar, { 'small.cms': desk.sign(csar, by, options) });

  test.each([
    ['by the certificate of an authority', maker, [root], {}],
    ['by its own certificate, without its authority’s', maker, [maker], {}],
    ['by its own certificate, which is nowhere else', maker, [maker], { more: ['-nocerts'] }],
    ['through an authority whose certificate is in the signature', deep, [root], { with: [between] }],
    ['by the authority in between alone', deep, [between], {}],
  ] as const)('%s', async (_, by, trusted, options) => {
    expect(saidOfSignature(await readSigned(signedBy(by, options), trusts(...trusted)))).toEqual(['package.signed']);
  });
});
