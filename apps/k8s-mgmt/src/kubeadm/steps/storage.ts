import {
  checkVolumeManifests,
  checkVolumesUnbound,
  installNfsClient,
  ipv4Among,
  packagePath,
  registerPersistentVolumes,
  removePersistentVolumes,
  setUpStorage,
  tryNfsMounts,
  type ExportedVolumes,
  type PersistentVolumesInput,
  type SetUpStorageInput,
  type VolumeManifest,
} from '@windlass/driver-kit';
import { InvariantError, TerminalError, type JsonObject } from '@windlass/foundation';
import type { HookContext, Vnfc } from '@windlass/mgmt-driver';
import { stepOf, type ActionContract, type GivenInput, type PlanNode, type StepTraits } from '@windlass/saga';
import type { ClusterNode } from '../../cluster/request/nodes.js';
import { clusterParams, type ClusterParams, type StorageParams } from '../parameters/parameters.js';
import type { ClusterSteps } from './node-steps.js';

/** What these steps make goes with the VM, whichever operation is rolled back. */
const GOES_WITH_THE_VM = { undoable: false } as const;

/** The VNFCs that are the storage server, among these; none where the parameters have none. */
export function storageServersAmong<V extends Pick<Vnfc, 'cps'>>(vnfcs: readonly V[], instantiateParams: JsonObject): V[] {
  const { storage_server: storage } = clusterParams(instantiateParams);
  if (storage === undefined) return [];
  return vnfcs.filter(({ cps }) => cps.some(({ cpdId }) => cpdId === storage.ssh_cp_name));
}

/** Whether nodes mount NFS: there is a server of the VNF's, or another one. */
export const usesNfs = ({ storage_server: storage, pv_registration_params: volumes = [] }: ClusterParams): boolean =>
  storage !== undefined || volumes.length > 0;

/** How many nodes may be asked for a trial mount. The first that answers makes it. */
const MOST_ASKED = 20;

/** A cluster's steps with storage, done by storage-mgmt; none where its parameters have none. */
export class StorageSteps {
  readonly #params: ClusterParams;

  constructor(private readonly steps: ClusterSteps) {
    this.#params = clusterParams(steps.hook.instantiateParams);
  }

  /** Has fresh nodes mount NFS volumes. */
  clients(nodes: readonly ClusterNode[]): PlanNode[] {
    if (!usesNfs(this.#params)) return [];
    const proxy = this.steps.terms.installProxy;
    return nodes.map((node) =>
      this.steps.step(installNfsClient, node, { ...this.steps.onMachine(node), ...proxy }, GOES_WITH_THE_VM),
    );
  }

  /**
   * Makes the storage server's VM the NFS server of its volumes.
   * @throws TerminalError `cluster.no-storage-server`, `cluster.no-volume`
   */
  serverSetUp(): PlanNode[] {
    const { storage_server: storage } = this.#params;
    const { hook } = this.steps;
    if (storage === undefined) return [];
    const [vnfc, other] = storageServersAmong(hook.vnfcs, hook.instantiateParams);
    if (vnfc === undefined || other !== undefined) {
      const what = vnfc === undefined ? 'no VM has' : `${vnfc.name} and ${other?.name ?? ''} have`;
      throw new TerminalError(
        'cluster.no-storage-server',
        `${what} the CP ${storage.ssh_cp_name} of the storage server, and one was expected: is storage_server right?`,
      );
    }
    const input: GivenInput<SetUpStorageInput> = {
      ...this.steps.terms.first,
      ...this.steps.onStorageServer(vnfc, storage.ssh_cp_name),
      volumes: volumesOf(hook, vnfc, storage),
      exports: exportsOf(storage),
      ...this.steps.terms.installProxy,
    };
    const limits = [`host:${vnfc.resourceId}`];
    // The operation notes where another program serves NFS in place of the kernel's server.
    return [stepOf(setUpStorage, { target: vnfc.name, limits, traits: { ...GOES_WITH_THE_VM, contributes: true }, input })];
  }

  /** Reads the package's manifests before anything is done: what they name is exported, and to these nodes. */
  checked(nodes: readonly ClusterNode[]): PlanNode[] {
    const manifests = this.#manifests();
    if (manifests.length === 0) return [];
    const exported = this.#exported(nodes);
    const input = { instance: this.steps.instance, manifests, ...(exported === undefined ? {} : { exported }) };
    return [stepOf(checkVolumeManifests, { target: `${manifests.length} manifests`, traits: GOES_WITH_THE_VM, input })];
  }

  /** Registers the package's PersistentVolumes in the cluster, through these masters, after a node has mounted them on trial. */
  registered(masters: readonly ClusterNode[], nodes: readonly ClusterNode[]): PlanNode[] {
    return [...this.#tried(nodes), ...this.#onVolumes(registerPersistentVolumes, masters, GOES_WITH_THE_VM)];
  }

  /** Workers are asked before masters: pods run on workers. */
  #tried(nodes: readonly ClusterNode[]): PlanNode[] {
    const manifests = this.#manifests();
    if (manifests.length === 0) return [];
    const inTurn = [...nodes].sort((a, b) => Number(a.role === 'master') - Number(b.role === 'master')).slice(0, MOST_ASKED);
    const input = { instance: this.steps.instance, nodes: this.steps.masters(inTurn), manifests };
    const traits = { ...GOES_WITH_THE_VM, contributes: true };
    return [stepOf(tryNfsMounts, { target: `one of ${inTurn.length} nodes`, traits, input })];
  }

  /** Checks that no PersistentVolume is in use; nothing is done before. */
  unbound(masters: readonly ClusterNode[]): PlanNode[] {
    return this.#onVolumes(checkVolumesUnbound, masters, { undoable: false });
  }

  /** Removes the PersistentVolumes from a cluster that stays. The undo registers them again. */
  removed(masters: readonly ClusterNode[]): PlanNode[] {
    return this.#onVolumes(removePersistentVolumes, masters, {});
  }

  #onVolumes<Output>(
    action: ActionContract<PersistentVolumesInput, Output>,
    masters: readonly ClusterNode[],
    traits: StepTraits,
  ): PlanNode[] {
    const manifests = this.#manifests();
    if (manifests.length === 0) return [];
    const input: GivenInput<PersistentVolumesInput> = {
      instance: this.steps.instance,
      masters: this.steps.masters(masters),
      manifests,
    };
    return [stepOf(action, { target: this.steps.shape.endpoint.address, traits, input })];
  }

  #manifests(): VolumeManifest[] {
    const { pv_registration_params: volumes = [] } = this.#params;
    return volumes.map(({ pv_manifest_file_path: path, nfs_server_cp: cp }) => ({
      file: this.#file(path),
      server: addressOf(this.steps.hook, cp),
    }));
  }

  /** What the VNF's own storage server exports; undefined for any other NFS server. */
  #exported(nodes: readonly ClusterNode[]): ExportedVolumes | undefined {
    const { storage_server: storage } = this.#params;
    if (storage === undefined) return undefined;
    const { vnfcs, instantiateParams } = this.steps.hook;
    const addressesOf = ({ cps }: Vnfc): string[] => cps.flatMap(({ addresses }) => addresses);
    return {
      servers: storageServersAmong(vnfcs, instantiateParams).flatMap(addressesOf),
      mounts: storage.cinder_volume_setup_params.map(({ mount_to: mount }) => mount),
      exports: exportsOf(storage),
      nodes: nodes.map(({ vnfc }) => ({ name: vnfc.name, addresses: addressesOf(vnfc) })),
    };
  }

  #file(path: string): PersistentVolumesInput['manifests'][number]['file'] {
    const { files, vnfPkgId } = this.steps.hook;
    const found = files.find((file) => file.path === packagePath(path));
    if (found === undefined) throw new InvariantError(`the package has no ${path}, which was there when the request came`);
    const { size, sha256 } = found;
    return { vnfPkgId, path: found.path, size, sha256 };
  }
}

const exportsOf = ({ nfs_server_setup_params: exports }: StorageParams): SetUpStorageInput['exports'] =>
  exports.map(({ export_dir: directory, export_to: to }) => ({ directory, to }));

/**
 * The storage server's volumes, by their names in the template. A volume that is missing is an error: the stack is complete, so no wait would bring
 * it.
 */
function volumesOf(hook: HookContext, vnfc: Vnfc, storage: StorageParams): SetUpStorageInput['volumes'] {
  const own = (hook.volumes ?? []).filter(({ vnfcId, resourceId }) => vnfcId === vnfc.id && resourceId !== '');
  return storage.cinder_volume_setup_params.map(({ volume_resource_id: name, mount_to: mountTo }) => {
    const found = own.find((volume) => volume.name === name);
    if (found !== undefined) return { volumeId: found.resourceId, device: found.device, mountTo };
    const has = own.length === 0 ? 'it has none' : `it has ${own.map((volume) => volume.name).join(', ')}`;
    throw new TerminalError(
      'cluster.no-volume',
      `the storage server ${vnfc.name} has no volume ${name}; ${has}: is volume_resource_id a resource of its template?`,
    );
  });
}

/** The address of an NFS server in the network of its CP. Nodes do not mount through a floating IP. */
function addressOf({ vnfcs, sharedCps }: HookContext, name: string): string {
  const cps = [
    ...vnfcs.flatMap(({ cps: own }) => own.filter(({ cpdId }) => cpdId === name)),
    ...sharedCps.filter((cp) => cp.name === name),
  ];
  const [address] = cps.flatMap(({ addresses }) => ipv4Among(addresses) ?? addresses.slice(0, 1));
  if (address !== undefined && cps.length === 1) return address;
  const what = cps.length > 1 ? `${cps.length} VMs have the CP ${name}` : `the CP ${name} has no address`;
  throw new TerminalError('cluster.no-nfs-server', `${what}, and one NFS server was expected: is nfs_server_cp right?`);
}
