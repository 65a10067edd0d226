import { TerminalError } from '@windlass/foundation';
import { buildCsar, type VnfPackage } from '@windlass/vnf-package';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAsOnboarding } from '../packages/as-onboarding.js';

/** A package as onboarding would read it: a zip, or a folder. @throws TerminalError `package.refused`, `package.build-failed` */
export async function packageIn(path: string): Promise<VnfPackage> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new TerminalError('package.build-failed', `there is no ${path}: name a folder or a zip`);
  if (!found.isDirectory()) return readAsOnboarding(path);
  return fetchedPackage((zip) => buildCsar(path, zip));
}

/** The package that a zip has which is written where it is told, and goes away afterwards. @throws as {@link packageIn} */
export async function fetchedPackage(write: (zip: string) => Promise<unknown>): Promise<VnfPackage> {
  const scratch = await mkdtemp(join(tmpdir(), '.windlass-check-'));
  try {
    const zip = join(scratch, 'package.zip');
    await write(zip);
    return await readAsOnboarding(zip);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
