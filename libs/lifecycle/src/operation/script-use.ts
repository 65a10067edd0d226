import type { JsonObject } from '@windlass/foundation';
import type { NamedScript, ScriptMethod } from '@windlass/user-data';
import type { ScaleLevel } from '@windlass/vnf-package';
import type { PackageRecord } from '../ports.js';
import type { VnfInstanceRecord } from '../records/records.js';
import type { SagaContext } from './operation-saga.js';

/** How a user data script of the package takes part in an operation. */
export interface ScriptUse {
  /** The method of the script's class that is run. @param request the operation's */
  method(request: JsonObject): ScriptMethod;
  /** Whether the operation makes the VNF: then an earlier script, and what it computed, do not count. */
  makesVnf?: true;
  /** Refuses a script of this package. @throws RequestError 409 */
  refuse?(script: NamedScript, subject: { instance: VnfInstanceRecord; package: PackageRecord }): void;
  /** What the script is told of this operation beside what it is told of any. */
  input?(context: SagaContext): OperationScriptInput;
}

/** Members of what a script is told that an operation decides. */
export interface OperationScriptInput {
  /** VNFCs that the operation is about, by their vnfcResourceInfo ids; null: all. Absent: none. */
  vnfcIds?: readonly string[] | null;
  /** Where all aspects stand once it is done. Absent: where they should stand now. */
  scaleStatus?: readonly ScaleLevel[];
  /** Members that the group of the scaled aspect will have; null where there is no such group. Absent: null. */
  desiredCapacity?: number | null;
}
