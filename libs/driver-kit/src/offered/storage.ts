import { defineAction, type InputSchema } from '@windlass/saga';
import type { MastersStepInput } from '../cluster/masters-context.js';
import type { PackageFileRef } from '../files/package-files.js';
import type { MachineStepInput } from '../host/host-context.js';
import { hostName, input, machine, masters, packageFile, path, proxy } from './inputs.js';

/** Whose workers set up storage. */
export const STORAGE_SERVICE = 'storage-mgmt';

/** Proxies through which packages are installed; user and password may stand in the URLs. */
export interface InstallProxy {
  http_proxy?: string;
  https_proxy?: string;
  no_proxy?: string;
}

/** Input of {@link setUpStorage}. */
export interface SetUpStorageInput extends MachineStepInput {
  /** Volumes that are attached to the machine, and where they are mounted. */
  volumes: {
    /** Cinder's id: the machine shows its first 20 characters as the disk's serial. */
    volumeId: string;
    /** As Nova attached it, `/dev/vdb`; null where it does not say. The machine may call it otherwise. */
    device: string | null;
    mountTo: string;
  }[];
  exports: {
    directory: string;
    /** IPv4 address or range. */
    to: string;
  }[];
  proxy?: InstallProxy;
}

/** What {@link setUpStorage} gives. */
export interface SetUpStorageOutput {
  /** What the operation is to tell of it: its step carries the trait `contributes`. */
  notes?: string[];
}

/**
 * Makes a machine the NFS server of its volumes: a volume is formatted only if it holds nothing, and what it holds stays. Undone, nothing is
 * exported and mounted any more; data stay.
 */
export const setUpStorage = defineAction<SetUpStorageInput, SetUpStorageOutput>({
  service: STORAGE_SERVICE,
  name: 'set-up-storage',
  version: 1,
  accepts: input(
    {
      machine,
      volumes: {
        type: 'array',
        maxItems: 100,
        items: {
          type: 'object',
          required: ['volumeId', 'device', 'mountTo'],
          properties: {
            volumeId: { type: 'string', minLength: 1, maxLength: 64 },
            device: { type: ['string', 'null'], maxLength: 64 },
            mountTo: path,
          },
          additionalProperties: false,
        },
      },
      exports: {
        type: 'array',
        maxItems: 1_000,
        items: {
          type: 'object',
          required: ['directory', 'to'],
          properties: { directory: path, to: hostName },
          additionalProperties: false,
        },
      },
    },
    { proxy },
  ),
});

/** Input of {@link installNfsClient}. */
export interface InstallNfsClientInput extends MachineStepInput {
  proxy?: InstallProxy;
}

/** Has a node's kubelet mount NFS volumes. */
export const installNfsClient = defineAction<InstallNfsClientInput>({
  service: STORAGE_SERVICE,
  name: 'install-nfs-client',
  version: 1,
  accepts: input({ machine }, { proxy }),
});

/** A manifest of PersistentVolumes in the package, and the address of the NFS server that they are on. */
export interface VolumeManifest {
  file: PackageFileRef;
  server: string;
}

/** Input of the steps on a cluster's PersistentVolumes. */
export interface PersistentVolumesInput extends MastersStepInput {
  manifests: VolumeManifest[];
}

/** What {@link registerPersistentVolumes} gives. */
export interface PersistentVolumesOutput {
  /** Names of the PersistentVolumes. */
  names: string[];
}

const manifests: InputSchema = {
  type: 'array',
  maxItems: 1_000,
  items: {
    type: 'object',
    required: ['file', 'server'],
    properties: { file: packageFile, server: hostName },
    additionalProperties: false,
  },
};

const ofVolumes = input({ masters, manifests });

/** Registers PersistentVolumes at a cluster and waits until they are Available; those that never are go again. Undone, they are removed. */
export const registerPersistentVolumes = defineAction<PersistentVolumesInput, PersistentVolumesOutput>({
  service: STORAGE_SERVICE,
  name: 'register-persistent-volumes',
  version: 1,
  accepts: ofVolumes,
});

/** Fails, with their names, where PersistentVolumes of the instance are bound. */
export const checkVolumesUnbound = defineAction<PersistentVolumesInput>({
  service: STORAGE_SERVICE,
  name: 'check-volumes-unbound',
  version: 1,
  accepts: ofVolumes,
});

/** Removes the PersistentVolumes that {@link registerPersistentVolumes} made. Undone, they are registered again. */
export const removePersistentVolumes = defineAction<PersistentVolumesInput>({
  service: STORAGE_SERVICE,
  name: 'remove-persistent-volumes',
  version: 1,
  accepts: ofVolumes,
});
