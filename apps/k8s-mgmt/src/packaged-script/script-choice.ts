import { packagePath } from '@windlass/driver-kit';
import type { PackageFile } from '@windlass/mgmt-driver';
import { whyOutdated } from './outdated-scripts.js';

/** Whether our actions or a script of the package install the cluster. */
export type ScriptChoice =
  /** Our actions, and why not the script. */
  | { kind: 'builtin'; why: string }
  /** The package's script, by the contract of spec/mgmt-kubernetes.md section 6. */
  | { kind: 'packaged'; file: PackageFile };

/** The mark in a script's first line that leaves the work to our actions. */
const MARK = /^#.*\bwindlass:\s*builtin\b/;

/** Decides whether the script runs; undefined where the package has no such file. */
export function chooseScript(scriptPath: string, files: readonly PackageFile[]): ScriptChoice | undefined {
  const file = files.find(({ path }) => path === packagePath(scriptPath));
  if (file === undefined) return undefined;
  if (MARK.test(file.firstLine)) return { kind: 'builtin', why: 'its first line says "windlass: builtin"' };
  const why = whyOutdated(file);
  return why === undefined ? { kind: 'packaged', file } : { kind: 'builtin', why };
}
