import type { ActionContract } from '@windlass/saga';
import { connectRegistries } from './registries.js';
import {
  checkVolumeManifests,
  checkVolumesUnbound,
  installNfsClient,
  registerPersistentVolumes,
  removePersistentVolumes,
  setUpStorage,
  tryNfsMounts,
} from './storage.js';

/** Every action that services of Windlass offer to the plans of each other's drivers. */
export const OFFERED: readonly ActionContract[] = [
  connectRegistries,
  setUpStorage,
  installNfsClient,
  checkVolumeManifests,
  tryNfsMounts,
  registerPersistentVolumes,
  checkVolumesUnbound,
  removePersistentVolumes,
];
