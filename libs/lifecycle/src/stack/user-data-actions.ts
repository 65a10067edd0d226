import { defineAction } from '@windlass/saga';
import type { ComputedData, ScriptFacts, ScriptMethod } from '@windlass/user-data';
import type { Flavour } from '@windlass/vnf-package';
import { INFRA_SERVICE } from '../records/services.js';

/** A file of the package that a script may read. */
export interface ScriptFile {
  path: string;
  size: number;
  /** Hex. */
  sha256: string;
}

export interface RunUserDataInput {
  /** Whose script it is, for its turn. Absent in steps of an older release. */
  tenant?: string;
  vnfPkgId: string;
  /** Path of the script in the package. */
  script: string;
  className: string;
  method: ScriptMethod;
  /** What of the package the script sees, itself included. */
  files: ScriptFile[];
  flavour: Flavour;
  facts: ScriptFacts;
}

export interface RunUserDataOutput {
  /** What the stack is given from now on; null where the script leaves it as it is. */
  computed: ComputedData | null;
}

/**
 * Runs a package's script in the sandbox. Touches no VIM, and nothing is to be undone. What it gives is journaled: the script is asked once, and whoever
 * goes on after it goes on with that.
 */
export const runUserDataAction = defineAction<RunUserDataInput, RunUserDataOutput>({
  service: INFRA_SERVICE,
  name: 'run-user-data',
  version: 1,
});
