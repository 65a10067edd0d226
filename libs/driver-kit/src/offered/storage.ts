import { shape, type TypeOf } from '@windlass/foundation';
import { defineAction } from '@windlass/saga';
import { masters } from '../cluster/masters-context.js';
import { packageFile } from '../files/package-files.js';
import { machineInput } from '../host/machine-input.js';
import { exactly, hostName, inputSchema, name, path } from '../inputs/input-shapes.js';
import { hostStep, proxy } from './inputs.js';

/** Whose workers set up storage. */
export const STORAGE_SERVICE = 'storage-mgmt';

/** Proxies through which packages are installed; user and password may stand in the URLs. */
export type InstallProxy = TypeOf<typeof proxy>;

const exportedFolders = shape.list({
  maxItems: 1_000,
  items: exactly({
    directory: path,
    /** IPv4 address or range. */
    to: hostName,
  }),
});

const setUpStorageInput = hostStep({
  machine: machineInput,
  /** Volumes that are attached to the machine, and where they are mounted. */
  volumes: shape.list({
    maxItems: 100,
    items: exactly({
      /** Cinder's id: the machine shows its first 20 characters as the disk's serial. */
      volumeId: shape.text({ minLength: 1, maxLength: 64 }),
      /** The device's name as Nova gave it, `/dev/vdb`; null where Nova does not say. The machine may use a different name. */
      device: shape.textOrNull({ maxLength: 64 }),
      mountTo: path,
    }),
  }),
  exports: exportedFolders,
  proxy: shape.optional(proxy),
});

/** Input of {@link setUpStorage}. */
export type SetUpStorageInput = TypeOf<typeof setUpStorageInput>;

/** What {@link setUpStorage} gives. */
export interface SetUpStorageOutput {
  /** What the operation is to tell of it: its step carries the trait `contributes`. */
  notes?: string[];
}

/**
 * Makes a machine the NFS server of its volumes. An empty volume is formatted; what a volume holds stays. The undo ends exports and mounts, and keeps
 * the data.
 */
export const setUpStorage = defineAction<SetUpStorageInput, SetUpStorageOutput>({
  service: STORAGE_SERVICE,
  name: 'set-up-storage',
  version: 1,
  accepts: inputSchema(setUpStorageInput),
});

const installNfsClientInput = hostStep({ machine: machineInput, proxy: shape.optional(proxy) });

/** Input of {@link installNfsClient}. */
export type InstallNfsClientInput = TypeOf<typeof installNfsClientInput>;

/** Has a node's kubelet mount NFS volumes. */
export const installNfsClient = defineAction<InstallNfsClientInput>({
  service: STORAGE_SERVICE,
  name: 'install-nfs-client',
  version: 1,
  accepts: inputSchema(installNfsClientInput),
});

const volumeManifest = exactly({ file: packageFile, server: hostName });

/** A manifest of PersistentVolumes in the package, and the address of the NFS server that they are on. */
export type VolumeManifest = TypeOf<typeof volumeManifest>;

const manifests = shape.list({ maxItems: 1_000, items: volumeManifest });

const addresses = shape.list({ maxItems: 100, items: hostName });

const exportedVolumes = exactly({
  /** Addresses of the storage server. The other members concern only volumes at these addresses. */
  servers: addresses,
  /** Where its volumes are mounted. */
  mounts: shape.list({ maxItems: 100, items: path }),
  exports: exportedFolders,
  nodes: shape.list({
    maxItems: 1_000,
    items: exactly({
      /** For messages. */
      name,
      addresses,
    }),
  }),
});

/** Which directories a storage server exports, and who must be able to mount them. */
export type ExportedVolumes = TypeOf<typeof exportedVolumes>;

const checkVolumeManifestsInput = hostStep({
  manifests,
  /** Absent where the VNF has no storage server. */
  exported: shape.optional(exportedVolumes),
});

/** Input of {@link checkVolumeManifests}. */
export type CheckVolumeManifestsInput = TypeOf<typeof checkVolumeManifestsInput>;

/**
 * Checks manifests of PersistentVolumes before anything is made for them: they are well-formed, the storage server exports what they name, and each
 * node's address is among the clients of those exports. Changes nothing.
 */
export const checkVolumeManifests = defineAction<CheckVolumeManifestsInput>({
  service: STORAGE_SERVICE,
  name: 'check-volume-manifests',
  version: 1,
  accepts: inputSchema(checkVolumeManifestsInput),
});

const tryNfsMountsInput = hostStep({
  /** Nodes with an NFS client: the first that answers tries. */
  nodes: masters,
  manifests,
});

/** Input of {@link tryNfsMounts}. */
export type TryNfsMountsInput = TypeOf<typeof tryNfsMountsInput>;

/** What {@link tryNfsMounts} gives. */
export interface TryNfsMountsOutput {
  /** What the operation is to tell of it: its step carries the trait `contributes`. */
  notes?: string[];
}

/** Mounts the volumes of PersistentVolumes on a node on trial: read-only, for a moment, and in a place that nothing else sees. */
export const tryNfsMounts = defineAction<TryNfsMountsInput, TryNfsMountsOutput>({
  service: STORAGE_SERVICE,
  name: 'try-nfs-mounts',
  version: 1,
  accepts: inputSchema(tryNfsMountsInput),
});

const persistentVolumesInput = hostStep({ masters, manifests });

/** Input of the steps on a cluster's PersistentVolumes. */
export type PersistentVolumesInput = TypeOf<typeof persistentVolumesInput>;

/** What {@link registerPersistentVolumes} gives. */
export interface PersistentVolumesOutput {
  /** Names of the PersistentVolumes. */
  names: string[];
}

/**
 * Registers PersistentVolumes in a cluster and waits until they are Available. Volumes that don't become so are removed again. The undo removes all.
 */
export const registerPersistentVolumes = defineAction<PersistentVolumesInput, PersistentVolumesOutput>({
  service: STORAGE_SERVICE,
  name: 'register-persistent-volumes',
  version: 1,
  accepts: inputSchema(persistentVolumesInput),
});

/** Fails, with their names, where PersistentVolumes of the instance are bound. */
export const checkVolumesUnbound = defineAction<PersistentVolumesInput>({
  service: STORAGE_SERVICE,
  name: 'check-volumes-unbound',
  version: 1,
  accepts: inputSchema(persistentVolumesInput),
});

/** Removes the PersistentVolumes that {@link registerPersistentVolumes} made. Undone, they are registered again. */
export const removePersistentVolumes = defineAction<PersistentVolumesInput>({
  service: STORAGE_SERVICE,
  name: 'remove-persistent-volumes',
  version: 1,
  accepts: inputSchema(persistentVolumesInput),
});
