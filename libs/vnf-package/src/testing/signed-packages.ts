import { rawZip, type RawMember } from './raw-zip.js';
import { zipOf, type PackageFiles } from './package-factory.js';
import { openCsar } from '../archive/csar.js';
import { bufferCsarSource } from '../source/csar-source.js';
import { readVnfPackage, type VnfPackage } from '../read-vnf-package.js';
import type { TrustedSigners } from '../signature/trusted-signers.js';

/** A zip around a CSAR and the files beside it, all stored, as an envelope must be. */
export const envelopeOf = (csar: Buffer, beside: Record<string, string | Buffer>, more: Partial<RawMember> = {}): Buffer =>
  rawZip([
    { name: 'small.csar', content: csar, stored: true, ...more },
    ...Object.entries(beside).map(([name, content]) => ({ name, content })),
  ]);

/** Reads a package as onboarding does. */
export async function readSigned(zip: Buffer | PackageFiles, signers?: TrustedSigners): Promise<VnfPackage> {
  const bytes = Buffer.isBuffer(zip) ? zip : zipOf(zip);
  return readVnfPackage(await openCsar(bufferCsarSource(bytes)), signers === undefined ? {} : { signers });
}

/** The codes of the warnings that are about signatures. */
export const saidOfSignature = ({ warnings }: VnfPackage): string[] =>
  warnings.map(({ code }) => code).filter((code) => code.startsWith('package.'));
