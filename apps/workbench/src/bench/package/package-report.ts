import { table } from '../report.js';
import type { PackageReport } from './package-bench.js';

const MIB = 2 ** 20;

/** The report as tables in Markdown, as they stand in docs/bench.md. */
export function packageText({ machine, imageSize, packageSize, memory, ...times }: PackageReport): string {
  const mebibytes = (bytes: number): string => (bytes / MIB).toFixed(0);
  const row = (what: string, bytes: number, took: number, plain?: number): string[] => [
    what,
    mebibytes(bytes),
    (took / 1_000).toFixed(1),
    (bytes / MIB / (took / 1_000)).toFixed(0),
    plain === undefined ? '' : (took / plain).toFixed(1),
  ];
  return [
    `An image of ${mebibytes(imageSize)} MiB, deflated in a package of ${mebibytes(packageSize)} MiB; a process a service, synced to disk; one run.`,
    `${machine.cores} cores (${machine.processor}), ${machine.memoryMiB} MiB, Linux ${machine.kernel}, Node ${machine.node}; load average before: ${machine.loadBefore.toFixed(1)}.`,
    '',
    table([
      ['', 'MiB', 'seconds', 'MiB/s', 'times a plain copy'],
      row('plain copy of the package', packageSize, times.plainPackage),
      row('upload, PUT to 202', packageSize, times.upload, times.plainPackage),
      row('verified and hashed, 202 to ONBOARDED', packageSize, times.onboarding),
      row('plain copy of the image', imageSize, times.plainImage),
      row('`share-image`: from the package to Glance', imageSize, times.toGlance, times.plainImage),
    ]),
    '',
    table([
      ['resident memory (MiB)', 'before the upload', 'at most'],
      ...Object.entries(memory).map(([name, { before, peak }]) => [name, before.toFixed(0), peak.toFixed(0)]),
    ]),
    '',
  ].join('\n');
}
