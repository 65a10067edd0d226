import type { ScriptUse } from '../../operation/script-use.js';

/** A script computes the stack that is made. */
export const instantiateScript: ScriptUse = { method: () => 'instantiate', makesVnf: true };
