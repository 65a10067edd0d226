import type { Csar } from './csar.js';
import type { PackageWarning } from '../refusals/package-error.js';

/** What of a zip was read as nobody wrote it down. */
export function archiveWarnings({ leftOut, topFolder, envelope }: Csar): PackageWarning[] {
  const warnings: PackageWarning[] = [];
  const [first] = leftOut;
  if (first !== undefined) {
    const reason = `${leftOut.length} files of that kind, which a Mac or Windows puts into a zip, are passed over`;
    warnings.push({ code: 'csar.left-out', subject: first, reason });
  }
  if (topFolder !== undefined) {
    const reason = 'the whole package lies in this folder: its members are read, and named, as if they lay at the root';
    warnings.push({ code: 'csar.top-folder', subject: topFolder, reason });
  }
  for (const subject of envelope?.others ?? [])
    warnings.push({
      code: 'csar.beside',
      subject,
      reason: `lies beside ${envelope?.csar ?? ''}: nobody has signed it, and it is not read`,
    });
  return warnings.slice(0, MOST);
}

/** Of a zip with thousands of files beside the package. */
const MOST = 20;
