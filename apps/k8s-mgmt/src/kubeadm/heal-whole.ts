import type { HookContext } from '@windlass/mgmt-driver';
import type { Plan } from '@windlass/saga';
import { madeAnew, terminateStart } from '../cluster/vim/terminate.js';
import type { K8sMgmtSettings } from '../settings/settings.js';
import { instantiateEnd } from './instantiate.js';

/** A cluster of which every VM is replaced is used by nobody: it ends as one that is terminated. */
export const wholeLeaves = (hook: HookContext): Plan => terminateStart(hook);

/** The cluster is made again, as an instantiation makes it. */
export const wholeComes = (hook: HookContext, settings: K8sMgmtSettings): Plan => madeAnew(hook, instantiateEnd(hook, settings));
