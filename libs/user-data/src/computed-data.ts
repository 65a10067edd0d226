import type { JsonObject } from '@windlass/foundation';

/** What a package's script has computed of a stack. Kept with what the instance should be: an operation that runs no script goes on from it. */
export interface ComputedData {
  parameters: JsonObject;
  /** The top template as the script has it, YAML; absent where the package's own is used. */
  template?: string;
  /** Nested templates by file name, where the script gives them. */
  files?: Record<string, string>;
}

/** The methods of a script that are run. */
export type ScriptMethod = 'instantiate' | 'scale' | 'heal' | 'change_ext_conn';

/** What a script is told, as far as only the record knows it. The package's templates and VNFD are added where it is run. */
export interface ScriptFacts {
  /** The request, of the operation that the method is named after. */
  request: JsonObject;
  /** A `VnfInstance` (SOL003 5.5.2.2) as it stands, without its VIM's credentials. */
  instance: JsonObject;
  /** A `GrantRequest` (SOL003 9.5.2.2), in so far as it says which resources come and go. */
  grantRequest: JsonObject;
  /** A `Grant` (SOL003 9.5.2.3), in so far as it gives assets and zones. */
  grant: JsonObject;
  /** What the stack has been given last; null before there is one. */
  current: ComputedData | null;
  /** Members that the scaled group shall have; null where nothing is scaled. */
  desiredCapacity: number | null;
  /** The `VnfcResourceInfo` of the VNFCs that are healed. */
  vnfcs: JsonObject[];
  /** How many instances of each VDU there shall be. Absent in journals of an older release: what the script makes is not counted then. */
  counts?: Record<string, number>;
}
