import { defineAction, type InputSchema } from '@windlass/saga';
import type { MasterInput, MastersStepInput } from '../cluster/masters-context.js';
import type { PackageFileRef } from '../files/package-files.js';
import type { HostStepInput, MachineStepInput } from '../host/host-context.js';
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
    /** The device's name as Nova gave it, `/dev/vdb`; null where Nova does not say. The machine may use a different name. */
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

const exports: InputSchema = {
  type: 'array',
  maxItems: 1_000,
  items: {
    type: 'object',
    required: ['directory', 'to'],
    properties: { directory: path, to: hostName },
    additionalProperties: false,
  },
};

/**
 * Makes a machine the NFS server of its volumes. An empty volume is formatted; what a volume holds stays. The undo ends exports and mounts, and keeps
 * the data.
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
      exports,
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

/** Which directories a storage server exports, and who must be able to mount them. */
export interface ExportedVolumes {
  /** Addresses of the storage server. The other members concern only volumes at these addresses. */
  servers: string[];
  /** Where its volumes are mounted. */
  mounts: string[];
  exports: SetUpStorageInput['exports'];
  nodes: {
    /** For messages. */
    name: string;
    addresses: string[];
  }[];
}

/** Input of {@link checkVolumeManifests}. */
export interface CheckVolumeManifestsInput {
  instance: string;
  manifests: VolumeManifest[];
  /** Absent where the VNF has no storage server. */
  exported?: ExportedVolumes;
}

/** Input of {@link tryNfsMounts}. */
export interface TryNfsMountsInput extends HostStepInput {
  /** Nodes with an NFS client: the first that answers tries. */
  nodes: MasterInput[];
  manifests: VolumeManifest[];
}

/** What {@link tryNfsMounts} gives. */
export interface TryNfsMountsOutput {
  /** What the operation is to tell of it: its step carries the trait `contributes`. */
  notes?: string[];
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

const addresses: InputSchema = { type: 'array', maxItems: 100, items: hostName };

/**
 * Checks manifests of PersistentVolumes before anything is made for them: they are well-formed, the storage server exports what they name, and each
 * node's address is among the clients of those exports. Changes nothing.
 */
export const checkVolumeManifests = defineAction<CheckVolumeManifestsInput>({
  service: STORAGE_SERVICE,
  name: 'check-volume-manifests',
  version: 1,
  accepts: input(
    { manifests },
    {
      exported: {
        type: 'object',
        required: ['servers', 'mounts', 'exports', 'nodes'],
        properties: {
          servers: addresses,
          mounts: { type: 'array', maxItems: 100, items: path },
          exports,
          nodes: {
            type: 'array',
            maxItems: 1_000,
            items: {
              type: 'object',
              required: ['name', 'addresses'],
              properties: { name: { type: 'string', minLength: 1, maxLength: 255 }, addresses },
              additionalProperties: false,
            },
          },
        },
        additionalProperties: false,
      },
    },
  ),
});

/** Mounts the volumes of PersistentVolumes on a node on trial: read-only, for a moment, and in a place that nothing else sees. */
export const tryNfsMounts = defineAction<TryNfsMountsInput, TryNfsMountsOutput>({
  service: STORAGE_SERVICE,
  name: 'try-nfs-mounts',
  version: 1,
  accepts: input({ nodes: masters, manifests }),
});

/**
 * Registers PersistentVolumes in a cluster and waits until they are Available. Volumes that don't become so are removed again. The undo removes all.
 */
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
