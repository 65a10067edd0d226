import { TerminalError } from '@windlass/foundation';
import { buildCsar, openCsar, PackageError, readVnfPackage, type VnfPackage } from '@windlass/vnf-package';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A package as onboarding would read it: a zip, or a folder. @throws TerminalError `package.refused`, `package.build-failed` */
export async function packageIn(path: string): Promise<VnfPackage> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new TerminalError('package.build-failed', `there is no ${path}: name a folder or a zip`);
  if (!found.isDirectory()) return readZip(path);
  return fetchedPackage((zip) => buildCsar(path, zip));
}

/** The package that a zip has which is written where it is told, and goes away afterwards. @throws as {@link packageIn} */
export async function fetchedPackage(write: (zip: string) => Promise<unknown>): Promise<VnfPackage> {
  const scratch = await mkdtemp(join(tmpdir(), '.windlass-check-'));
  try {
    const zip = join(scratch, 'package.zip');
    await write(zip);
    return await readZip(zip);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function readZip(zip: string): Promise<VnfPackage> {
  try {
    const csar = await openCsar(zip);
    try {
      return await readVnfPackage(csar, { remoteArtifacts: { refusal: () => undefined } });
    } finally {
      await csar.close();
    }
  } catch (error) {
    if (!(error instanceof PackageError)) throw error;
    throw new TerminalError('package.refused', `onboarding would refuse it: ${error.message} (${error.code})`, { cause: error });
  }
}
