import { afterAll, describe, expect, test } from 'vitest';
import { smallestPackage, zipOf } from '../testing/package-factory.js';
import { envelopeOf, readSigned } from '../testing/signed-packages.js';
import { AUTHORITY, SIGNS, SigningDesk, type SignOptions, type TestCertificate } from '../testing/signing-desk.js';

const desk = new SigningDesk();
afterAll(() => desk.close());

const csar = zipOf(smallestPackage());
const root = desk.certificate('Root', { extensions: AUTHORITY });
const other = desk.certificate('Other Root', { extensions: AUTHORITY });
const twin = desk.certificate('Root', { extensions: AUTHORITY });
const short = desk.certificate('Short Root', { extensions: ['basicConstraints=critical,CA:TRUE,pathlen:0', AUTHORITY[1]!] });
const maker = desk.certificate('Maker', { by: root });
const server = desk.certificate('Server', { by: root, extensions: [...SIGNS, 'extendedKeyUsage=serverAuth'] });
const encipherer = desk.certificate('Encipherer', { by: root, extensions: ['keyUsage=critical,keyEncipherment'] });

async function read(by: TestCertificate, trusted: TestCertificate[], options: SignOptions = {}): Promise<unknown> {
  const zip = envelopeOf(csar, { 'small.cms': desk.sign(csar, by, options) });
  return readSigned(zip, { certificates: trusted.map(({ pem }) => pem), required: true }).catch((error: unknown) => error);
}

const refused = (code: string, reason: RegExp) => ({
  code,
  member: 'small.cms',
  message: expect.stringMatching(reason) as string,
});
const unknown = (reason: RegExp) => refused('package.signer-unknown', reason);

describe('a signer is refused', () => {
  test('whom nobody knows, with a certificate of its own', async () => {
    expect(await read(desk.certificate('Stranger'), [root])).toMatchObject(
      unknown(/signed by CN=Stranger, O=Tests, whose certificate/),
    );
  });

  test('of another authority, of one with the same name, and of one that came with the signature', async () => {
    const stranger = desk.certificate('Stranger', { by: other });
    expect(await read(stranger, [root])).toMatchObject(unknown(/does not come from one that is trusted here/));
    expect(await read(stranger, [root], { with: [other] })).toMatchObject(unknown(/does not come from one that is trusted/));
    expect(await read(desk.certificate('False', { by: twin }), [root], { with: [twin] })).toMatchObject(unknown(/CN=False/));
  });

  test('whose certificate is nowhere', async () => {
    expect(await read(maker, [root], { more: ['-nocerts'] })).toMatchObject(unknown(/neither in the signature nor beside it/));
  });

  test('whose certificate another signer issued, who is no authority', async () => {
    const below = desk.certificate('Below', { by: maker });
    expect(await read(below, [root], { with: [maker] })).toMatchObject(unknown(/CN=Below/));
    expect(await read(below, [maker])).toMatchObject(unknown(/CN=Below/));
    for (const extensions of [['basicConstraints=CA:FALSE'], []]) {
      const loose = desk.certificate('Loose', { by: root, extensions });
      const lower = desk.certificate('Lower', { by: loose });
      expect(await read(lower, [root], { with: [loose] })).toMatchObject(unknown(/CN=Lower/));
      expect(await read(lower, [loose])).toMatchObject(unknown(/CN=Lower/));
    }
  });

  test('below an authority that may not issue certificates', async () => {
    const issuer = desk.certificate('Issuer', { by: root, extensions: [AUTHORITY[0]!, 'keyUsage=critical,cRLSign'] });
    expect(await read(desk.certificate('Below', { by: issuer }), [root], { with: [issuer] })).toMatchObject(unknown(/CN=Below/));
  });

  test('further below an authority than that allows', async () => {
    const between = desk.certificate('Between', { by: short, extensions: AUTHORITY });
    const below = desk.certificate('Below', { by: between });
    expect(await read(below, [short], { with: [between] })).toMatchObject(unknown(/CN=Below/));
    expect(await read(desk.certificate('Direct', { by: short }), [short])).not.toBeInstanceOf(Error);
  });

  test('whose authority signed its certificate by SHA-1', async () => {
    expect(await read(desk.certificate('Old', { by: root, digest: 'sha1' }), [root])).toMatchObject(unknown(/CN=Old/));
  });

  test('whose certificate is for something else', async () => {
    expect(await read(server, [root])).toMatchObject(unknown(/neither code signing nor e-mail/));
    expect(await read(server, [server])).toMatchObject(unknown(/neither code signing nor e-mail/));
    expect(await read(encipherer, [root])).toMatchObject(unknown(/names no digital signatures/));
  });

  test('whose certificate insists on something that is not known here', async () => {
    const strange = desk.certificate('Strange', { by: root, extensions: [...SIGNS, '1.2.3.4=critical,ASN1:NULL'] });
    expect(await read(strange, [root])).toMatchObject(refused('package.signature-wrong', /extension 1\.2\.3\.4/));
  });

  test('whose key is too short', async () => {
    const weak = desk.certificate('Weak', { by: root, key: 'rsa:1024' });
    expect(await read(weak, [root])).toMatchObject(refused('package.signature-wrong', /RSA key has 1024 bits where 2048/));
    expect(await read(weak, [weak])).toMatchObject(refused('package.signature-wrong', /RSA key has 1024 bits/));
  });

  test('whose certificate, or whose authority’s, has expired', async () => {
    const expired = desk.certificate('Expired', { by: root, days: -1 });
    for (const trusted of [root, expired])
      expect(await read(expired, [trusted])).toMatchObject(
        refused('package.certificate-expired', /is valid from .* to .* alone/),
      );
    const gone = desk.certificate('Gone', { extensions: AUTHORITY, days: -1 });
    expect(await read(desk.certificate('Left', { by: gone }), [gone])).toMatchObject(
      refused('package.certificate-expired', /a certificate between it and the trusted one/),
    );
    // Nobody learns from a stranger's date that it is a stranger's.
    expect(await read(desk.certificate('Old Stranger', { days: -1 }), [root])).toMatchObject(unknown(/Old Stranger/));
  });
});
