import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@windlass/foundation';
import { buildCsar } from '@windlass/vnf-package';
import { smallestPackage, zipOf, type PackageFiles } from '@windlass/vnf-package/testing';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pack } from '../../apps/windlass/src/packages/pack.js';
import { onboardZip, startSystem, type System } from '../support/system.js';
import { CASES, caseZip, signedZip } from './support/cases.js';
import { SHAPES, shape } from './support/shapes.js';
import { TEMPLATED, templated } from './support/templated.js';

/** `vnf pack --check` and onboarding say the same of a package: what refuses it, all of it, and what is warned of. */
const PACKAGES = '/vnfpkgm/v1/vnf_packages';
const SAMPLES = join(import.meta.dirname, '../../samples');

let system: System;
let folder = '';
beforeAll(async () => {
  system = await startSystem();
  folder = await mkdtemp(join(tmpdir(), 'windlass-same-'));
});
afterAll(async () => {
  await system.close();
  await rm(folder, { recursive: true });
});

interface Said {
  refused?: string;
  warnings: string[];
}

async function packed(zip: Buffer): Promise<Said> {
  const file = join(folder, 'package.zip');
  await writeFile(file, zip);
  const lines: string[] = [];
  try {
    for await (const line of pack(file, { check: true }, folder)) lines.push(line);
  } catch (error) {
    const [, refused = String(error)] =
      /^onboarding would refuse it: (.*) \([a-z.0-9-]+\)(?:; without --check .*)?$/s.exec((error as Error).message) ?? [];
    return { refused, warnings: [] };
  }
  const told = lines.filter((line) => line.startsWith('warning: '));
  return { warnings: told.map((line) => line.slice('warning: '.length).replace(/ \([a-z.0-9-]+\)$/, '')) };
}

async function onboarded(zip: Buffer): Promise<Said> {
  const { id, onboardingState, onboardingFailureDetails, windlassWarnings } = await onboardZip(system.api, zip);
  const path = `${PACKAGES}/${String(id)}`;
  if (onboardingState === 'ONBOARDED') await system.api.patch(path, { operationalState: 'DISABLED' });
  const gone = await system.api.delete(path);
  if (gone.status !== 204) throw new Error(JSON.stringify(gone.data));
  if (onboardingState !== 'ONBOARDED') return { refused: String((onboardingFailureDetails as JsonObject).detail), warnings: [] };
  // Which drivers there are, a server alone knows.
  const warnings = ((windlassWarnings ?? []) as string[]).filter((each) => !each.startsWith('the management driver '));
  return { warnings };
}

async function ofFolder(path: string): Promise<Buffer> {
  const file = join(folder, 'made.zip');
  await buildCsar(path, file, { asItLies: true });
  return readFileSync(file);
}
const small = (changes: PackageFiles) => () => Promise.resolve(zipOf(smallestPackage(changes)));
const inFolder = () =>
  zipOf(Object.fromEntries(Object.entries(smallestPackage()).map(([name, content]) => [`mine/${name}`, content])));

/** Packages of `cases/`, by the case and the folder. */
const OF_CASES = readdirSync(CASES, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('pkg') && statSync(join(CASES, path)).isDirectory())
  .sort();

const ALL: readonly (readonly [string, () => Promise<Buffer>])[] = [
  ...readdirSync(SAMPLES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'requests')
    .map(({ name }) => [`samples/${name}`, () => ofFolder(join(SAMPLES, name))] as const),
  ...OF_CASES.map((path) => [`cases/${path}`, () => ofFolder(join(CASES, path))] as const),
  ...SHAPES.map((name) => [`tosca-only/${name}`, () => Promise.resolve(zipOf(shape(name)))] as const),
  ...Object.keys(TEMPLATED).map((name) => [name, () => Promise.resolve(zipOf(templated(name)))] as const),
  ['a zip with its signature', async () => signedZip(await caseZip('05'))],
  ['a zip of a Mac', small({ '__MACOSX/Definitions/._top.yaml': 'x', 'Definitions/._top.yaml': 'x', '.DS_Store': 'x' })],
  ['one folder around everything', () => Promise.resolve(inFolder())],
  [
    'no templates, and parts that nothing reads',
    small({ 'BaseHOT/default/top.yaml': undefined, 'BaseHOT/other/top.yaml': 'a: b' }),
  ],
  [
    'several obstacles',
    small({
      'TOSCA-Metadata/TOSCA.meta': `${String(smallestPackage()['TOSCA-Metadata/TOSCA.meta'])}\nName: Scripts/a.sh\nAlgorithm: SHA-256\nHash: 00\n`,
      'Scripts/a.sh': 'echo',
      'UserData/a.py': 'import tacker.absent\n',
      'BaseHOT/default/top.yaml': 'heat_template_version: 2013-05-23\nresources: { a: { type: absent.yaml } }\n',
    }),
  ],
  ['no VNFD', small({ 'Definitions/top.yaml': undefined })],
  ['another thing', () => Promise.resolve(Buffer.from('<!doctype html><title>Sign in</title>'))],
  ['nothing', () => Promise.resolve(Buffer.from('PK'))],
];

describe('pack --check and onboarding say the same', () => {
  it.each(ALL)('of %s', async (_, zip) => {
    const bytes = await zip();
    expect(await packed(bytes)).toEqual(await onboarded(bytes));
  });

  it('of packages of which some are refused and some are warned of', () => {
    expect(OF_CASES.length).toBeGreaterThan(12);
  });
});
