import type { ActionContract } from '@windlass/saga';
import * as registries from './registries.js';
import * as storage from './storage.js';

export * from './registries.js';
export * from './storage.js';

const exported: readonly unknown[] = [...Object.values(registries), ...Object.values(storage)];

/** Every action that services of Windlass offer to the plans of each other's drivers: all that these modules export, beside names of services. */
export const OFFERED: readonly ActionContract[] = exported.filter((each): each is ActionContract => typeof each === 'object');
