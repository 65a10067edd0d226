import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where a service's key lies unless it is told: XDG's place for what a program keeps between its runs. */
export const defaultKeyFile = (service: string): string => join(homedir(), '.local/state/windlass', `${service}.key`);
