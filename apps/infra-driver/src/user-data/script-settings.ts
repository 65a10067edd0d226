import { seconds } from '@windlass/foundation';
import type { InfraSettings } from '../actions/infra-context.js';

/** How packages' scripts are run unless an operator says otherwise: Debian's Python, and the reference system's limit. */
export const SCRIPT_SETTINGS: Pick<InfraSettings, 'python' | 'scriptWithin'> = {
  python: '/usr/bin/python3',
  scriptWithin: seconds(60),
};
