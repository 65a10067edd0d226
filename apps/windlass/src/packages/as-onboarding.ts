import { TerminalError } from '@windlass/foundation';
import { openCsar, PackageError, readVnfPackage, type VnfPackage } from '@windlass/vnf-package';

/**
 * A zip as onboarding would read it; artifacts that lie elsewhere are not asked for.
 * @param hint what to do beside mending the package, by the code of what is wrong
 * @throws TerminalError `package.refused`
 */
export async function readAsOnboarding(zip: string, hint: (code: string) => string = () => ''): Promise<VnfPackage> {
  try {
    const csar = await openCsar(zip);
    try {
      return await readVnfPackage(csar, { remoteArtifacts: { refusal: () => undefined } });
    } finally {
      await csar.close();
    }
  } catch (error) {
    if (!(error instanceof PackageError)) throw error;
    const why = `onboarding would refuse it: ${error.message} (${error.code})${hint(error.code)}`;
    throw new TerminalError('package.refused', why, { cause: error });
  }
}
