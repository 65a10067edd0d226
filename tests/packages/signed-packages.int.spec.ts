import { randomBytes, randomUUID } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import {
  MANIFEST,
  manifestOf,
  packageWithManifest,
  rawZip,
  SigningDesk,
  smallestPackage,
  VNFD_ID,
  withSignature,
  zipOf,
  type PackageFiles,
} from '@windlass/vnf-package/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReplica, type Replica } from '../observability/support/replicas.js';
import { onboardZip, startSystem, type System } from '../support/system.js';
import { rawGet } from './support/packages.js';

const PACKAGES = '/vnfpkgm/v1/vnf_packages';
const MAX_BYTES = 16 * 1024 * 1024;
const desk = new SigningDesk();
const maker = desk.certificate('Maker');
const stranger = desk.certificate('Stranger');
const expired = desk.certificate('Expired', { days: -1 });

let system: System;
/** Takes what the maker has signed, and nothing else. */
let strict: Replica;
/** Takes unsigned packages, too. */
let mild: Replica;

beforeAll(async () => {
  const certificates = [maker.pem, expired.pem];
  system = await startSystem();
  strict = await startReplica(system, {
    user: 'strict',
    more: { maxPackageBytes: MAX_BYTES, packages: { signers: { certificates, required: true } } },
  });
  mild = await startReplica(system, {
    user: 'mild',
    more: { maxPackageBytes: MAX_BYTES, packages: { signers: { certificates, required: false } } },
  });
});

afterAll(async () => {
  desk.close();
  await strict.stop();
  await mild.stop();
  await system.close();
});

/** A package of a VNFD id of its own, not signed. */
function fresh(): PackageFiles {
  const top = String(smallestPackage()['Definitions/top.yaml']).replaceAll(VNFD_ID, randomUUID());
  return packageWithManifest({ 'Definitions/top.yaml': top });
}

const signed = (by = maker, files = fresh()): PackageFiles => withSignature(files, (manifest) => desk.sign(manifest, by));

/** A zip with the CSAR and its signature, and what else is given. */
const enclosed = (csar: Buffer, cms: Buffer, stored = true): Buffer =>
  rawZip([
    { name: 'small.csar', content: csar, stored },
    { name: 'small.cms', content: cms },
  ]);

/** Larger than what is inflated of a deflated CSAR. */
const large = (): Buffer => zipOf({ ...fresh(), 'Files/large.bin': randomBytes(5 * 1024 * 1024) });

const warnings = (shown: JsonObject): string => (shown.windlassWarnings as string[] | undefined)?.join('\n') ?? '';

describe('a package that is signed', () => {
  it('in its manifest is onboarded, and says who signed it', async () => {
    const shown = await onboardZip(strict.api, zipOf(signed()));
    expect(shown.onboardingState).toBe('ONBOARDED');
    expect(warnings(shown)).toContain(`${MANIFEST}: its signature was verified: it is signed by CN=Maker, O=Tests`);
    expect(shown.additionalArtifacts).toContainEqual(expect.objectContaining({ artifactPath: 'Scripts/install.sh' }));
  });

  it.each([true, false])(
    'beside it is onboarded (stored: %s): its files are those of the CSAR, its archive what was uploaded',
    async (stored) => {
      const csar = zipOf(fresh());
      const zip = enclosed(csar, desk.sign(csar, maker, { form: 'DER' }), stored);
      const shown = await onboardZip(strict.api, zip);
      expect(shown.onboardingState).toBe('ONBOARDED');
      expect(warnings(shown)).toContain('small.csar: its signature was verified');
      const path = `${PACKAGES}/${String(shown.id)}`;
      const read = (part: string) => rawGet(strict.api, `${path}/${part}`, { 'X-Auth-Token': strict.token });
      expect((await read('package_content')).body.equals(zip)).toBe(true);
      expect((await read('artifacts/Scripts/install.sh')).body.toString()).toBe('echo install\n');
      expect((await read('vnfd')).body.toString()).toContain('tosca_definitions_version');
    },
  );

  it.each<[string, () => Buffer, string, RegExp]>([
    ['not at all', () => zipOf(fresh()), 'package.unsigned', /nobody has signed it.*LCM_PACKAGE_SIGNATURES=optional/],
    ['by a stranger', () => zipOf(signed(stranger)), 'package.signer-unknown', /CN=Stranger.*LCM_PACKAGE_SIGNERS/],
    ['with an expired certificate', () => zipOf(signed(expired)), 'package.certificate-expired', /sign again/],
    [
      'and changed afterwards',
      () => zipOf({ ...signed(), [MANIFEST]: `Name: x\n\n${String(signed()[MANIFEST])}` }),
      'package.signature-wrong',
      /not over these bytes/,
    ],
    [
      'and has a file that nobody signed',
      () => zipOf({ ...signed(), 'Scripts/evil.sh': 'echo evil\n' }),
      'package.not-covered',
      /gives no hash for Scripts\/evil\.sh/,
    ],
    [
      'and whose file is another one',
      () => zipOf(signed(maker, { ...fresh(), [MANIFEST]: manifestOf({ ...fresh(), 'Scripts/install.sh': 'other' }) })),
      'meta.hash-mismatch',
      /./,
    ],
    [
      'beside it, and changed afterwards',
      () => enclosed(zipOf(fresh()), desk.sign(zipOf(fresh()), maker)),
      'package.signature-wrong',
      /not over these bytes/,
    ],
    [
      'beside it, and deflated, though large',
      () => enclosed(large(), desk.sign('x', maker), false),
      'csar.envelope',
      /zip -0 package\.zip small\.csar small\.cms/,
    ],
  ])('%s is set back to CREATED, with what to do', async (_, zip, code, detail) => {
    const shown = await onboardZip(strict.api, zip());
    expect(shown).toMatchObject({
      onboardingState: 'CREATED',
      onboardingFailureDetails: { status: 422, code, detail: expect.stringMatching(detail) as string },
    });
  });
});

describe('where signatures are optional', () => {
  it('an unsigned package is onboarded with a warning, and one with a wrong signature is not', async () => {
    const shown = await onboardZip(mild.api, zipOf(fresh()));
    expect([shown.onboardingState, warnings(shown)]).toEqual(['ONBOARDED', expect.stringContaining('nobody has signed it')]);
    const refused = await onboardZip(mild.api, zipOf(signed(stranger)));
    expect(refused).toMatchObject({ onboardingState: 'CREATED', onboardingFailureDetails: { code: 'package.signer-unknown' } });
  });
});

describe('where nobody is trusted', () => {
  it('nothing is verified: a signature is warned of, its absence is not', async () => {
    const shown = await onboardZip(system.api, zipOf(signed(stranger)));
    expect([shown.onboardingState, warnings(shown)]).toEqual([
      'ONBOARDED',
      expect.stringContaining('signature was not verified'),
    ]);
    const plain = await onboardZip(system.api, zipOf(fresh()));
    expect([plain.onboardingState, warnings(plain)]).toEqual(['ONBOARDED', expect.not.stringContaining('sign')]);
  });
});
