import {
  deepestOver,
  exportsOver,
  formatCidr,
  isStoragePath,
  packagePath,
  parseCidr,
  parseIpv4,
  plainStoragePath,
  STORAGE_PATH,
  type RequestCheck,
} from '@windlass/driver-kit';
import { HEAL_BLOCK_STORAGE } from '@windlass/sol003';
import type { PackedVolumes, ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import { clusterParams, type ClusterParams, type StorageParams } from '../parameters/parameters.js';
import { storageServersAmong } from '../steps/storage.js';

/**
 * The storage server and the PersistentVolumes of an instantiation.
 * @param nodes VDUs that the cluster's nodes are of
 */
export function checkStorage(
  check: RequestCheck,
  params: ClusterParams,
  request: ValidateRequest,
  nodes: readonly string[],
): void {
  const { storage_server: storage } = params;
  if (storage !== undefined) {
    checkServer(check, storage, request, nodes);
    checkVolumes(check, storage, request);
    checkExports(check, storage);
  }
  checkManifests(check, params, request);
}

function checkServer(check: RequestCheck, storage: StorageParams, request: ValidateRequest, nodes: readonly string[]): void {
  const { ssh_cp_name: ssh, nic_cp_name: nic = ssh } = storage;
  check.user('/storage_server/username', storage.username);
  const vdu = check.groupVdu('/storage_server', { ssh_cp_name: ssh, nic_cp_name: nic });
  if (vdu === undefined) return;
  if (nodes.includes(vdu))
    check.wrong(
      '/storage_server/ssh_cp_name',
      `belongs to VDU ${vdu}, as nodes of the cluster do: a storage server is none of them`,
    );
  const count = request.countsAfter?.[vdu] ?? 1;
  if (count !== 1)
    check.wrong(
      '/storage_server/ssh_cp_name',
      `belongs to VDU ${vdu}, of which the request makes ${count}: one storage server was expected`,
    );
}

function checkVolumes(
  check: RequestCheck,
  { ssh_cp_name: ssh, cinder_volume_setup_params: volumes }: StorageParams,
  request: ValidateRequest,
): void {
  const vdu = request.flavour.cps.find(({ id }) => id === ssh)?.vdu;
  const known = (request.flavour.storages ?? []).filter((storage) => storage.vdu === vdu).map(({ id }) => id);
  const list = '/storage_server/cinder_volume_setup_params';
  for (const [n, { volume_resource_id: name, mount_to: mount }] of volumes.entries()) {
    if (known.length > 0 && !known.includes(name))
      check.warn(
        `the VNFD gives VDU ${vdu ?? ''} no storage ${name}; it has ${known.join(', ')}: the template must have a volume of that name`,
      );
    refuseTwin(check, volumes, n, `${list}/${n}/volume_resource_id`, (volume) => volume.volume_resource_id);
    if (!checkPath(check, `${list}/${n}/mount_to`, mount)) continue;
    refuseTwin(check, volumes, n, `${list}/${n}/mount_to`, (volume) => plainStoragePath(volume.mount_to));
  }
}

function checkExports(
  check: RequestCheck,
  { cinder_volume_setup_params: volumes, nfs_server_setup_params: exports }: StorageParams,
): void {
  const list = '/storage_server/nfs_server_setup_params';
  const mounts = volumes.map(({ mount_to: mount }) => plainStoragePath(mount));
  const normal = exports.map(({ export_to: to }, n) => networkOf(check, `${list}/${n}/export_to`, to));
  for (const [n, { export_dir: directory }] of exports.entries()) {
    if (!checkPath(check, `${list}/${n}/export_dir`, directory)) continue;
    const plain = plainStoragePath(directory);
    if (deepestOver(plain, mounts) === undefined)
      check.warn(
        `export_dir ${directory} lies under no mount_to (${mounts.join(', ')}): what is written there lies on the server's own disk, and goes with it`,
      );
    const twin = exports
      .slice(0, n)
      .findIndex((other, at) => plainStoragePath(other.export_dir) === plain && normal[at] === normal[n]);
    if (twin >= 0)
      check.wrong(`${list}/${n}/export_dir`, `${directory} is exported to ${normal[n] ?? ''} by entry ${twin} already`);
  }
  const taken = exports.map((each, n) => ({ ...each, export_to: normal[n] ?? each.export_to }));
  if (taken.some(({ export_to: to }, n) => to !== exports[n]?.export_to))
    check.take('/storage_server', 'nfs_server_setup_params', taken);
}

function checkManifests(
  check: RequestCheck,
  { pv_registration_params: volumes = [], storage_server: storage }: ClusterParams,
  request: ValidateRequest,
): void {
  const { flavour, countsAfter = {} } = request;
  const vduOf = (name: string | undefined) => flavour.cps.find(({ id }) => id === name)?.vdu ?? undefined;
  const names = new Map<string, number>();
  for (const [n, { pv_manifest_file_path: path, nfs_server_cp: name }] of volumes.entries()) {
    const at = `/pv_registration_params/${n}`;
    const file = check.file(`${at}/pv_manifest_file_path`, path);
    const own = storage !== undefined && vduOf(name) !== undefined && vduOf(name) === vduOf(storage.ssh_cp_name);
    for (const wrong of faultsOf(file?.persistentVolumes, names, n, own ? storage : undefined))
      check.wrong(`${at}/pv_manifest_file_path`, `${path} ${wrong}`);
    refuseTwin(check, volumes, n, `${at}/pv_manifest_file_path`, (volume) => packagePath(volume.pv_manifest_file_path));
    const cp = flavour.cps.find(({ id }) => id === name);
    // A port without a VDU may be a port that several servers share.
    if (cp?.vdu === null) continue;
    const vdu = check.cpVdu(`${at}/nfs_server_cp`, name);
    const count = vdu === undefined ? 1 : (countsAfter[vdu] ?? 1);
    if (count !== 1)
      check.wrong(
        `${at}/nfs_server_cp`,
        `belongs to VDU ${vdu ?? ''}, of which the request makes ${count}: one NFS server was expected`,
      );
  }
}

/**
 * Faults of a manifest, as far as onboarding found them; the step `check-volume-manifests` finds the rest.
 * @param names names of the manifests before this one, with their entries; this manifest's are added
 * @param storage the VNF's own storage server, where the manifest's volumes are on it
 */
function faultsOf(
  packed: PackedVolumes | undefined,
  names: Map<string, number>,
  n: number,
  storage: StorageParams | undefined,
): string[] {
  if (packed?.fault !== undefined) return [`is no manifest of PersistentVolumes: ${packed.fault}`];
  const directories = storage?.nfs_server_setup_params.map(({ export_dir: directory }) => directory);
  // What is no directory is refused where it stands, and says nothing of the manifests.
  const exports = directories?.every(isStoragePath) === true ? directories.map((directory) => ({ directory })) : undefined;
  const mounts = storage?.cinder_volume_setup_params.map(({ mount_to: mount }) => mount) ?? [];
  return (packed?.volumes ?? []).flatMap(({ name, path }) => {
    const other = names.get(name);
    names.set(name, other ?? n);
    const twin = other === undefined ? [] : [`has a PersistentVolume ${name}, as the manifest of entry ${other} has`];
    if (exports === undefined || exportsOver(path, exports, mounts).length > 0) return twin;
    const has = exports.map(({ directory }) => directory).join(', ');
    return [
      ...twin,
      `has ${name} at ${path} of the storage server, which exports ${has}: make spec.nfs.path and export_dir the same`,
    ];
  });
}

function refuseTwin<T>(check: RequestCheck, list: readonly T[], n: number, pointer: string, key: (entry: T) => string): void {
  const [own] = list.slice(n).map(key);
  const twin = list.slice(0, n).findIndex((entry) => key(entry) === own);
  if (twin >= 0) check.wrong(pointer, `${own ?? ''} stands in entry ${twin} already`);
}

function checkPath(check: RequestCheck, pointer: string, path: string): boolean {
  const taken = isStoragePath(path);
  if (!taken) check.wrong(pointer, `${path}: ${STORAGE_PATH} was expected`);
  return taken;
}

/** An IPv4 address or range, without host bits. */
function networkOf(check: RequestCheck, pointer: string, text: string): string {
  if (parseIpv4(text) !== undefined) return text;
  const range = parseCidr(text);
  if (range === undefined) {
    check.wrong(pointer, `${text}: an IPv4 address or range such as 10.10.0.0/24 was expected`);
    return text;
  }
  const normal = formatCidr(range);
  if (normal !== text) check.warn(`export_to ${text} was taken as ${normal}`);
  return normal;
}

/**
 * Checks a heal that replaces the storage server. Before the answer, a look at the cluster finds PersistentVolumes that are bound. The server's own
 * volumes stay unless the request says that they go; a warning says which of the two happens.
 */
export function checkHealOfStorage({ instance, instantiateParams, requestParams }: ValidateRequest): Partial<ValidateReply> {
  const { vnfcs = [], heal } = instance ?? {};
  const [server] = storageServersAmong(vnfcs, instantiateParams).filter(({ id }) => heal?.vnfcIds.includes(id));
  if (heal === undefined || server === undefined) return {};
  const lost = `what is on the volumes of the storage server ${server.name} is lost: they are replaced with it`;
  if (heal.recreates) return { warnings: [lost] };
  const { pv_registration_params: volumes = [] } = clusterParams(instantiateParams);
  const looks: Pick<ValidateReply, 'looks'> = heal.whole || volumes.length === 0 ? {} : { looks: ['bound-volumes'] };
  const said = requestParams[HEAL_BLOCK_STORAGE] ?? requestParams.all;
  if (said === true) return { ...looks, warnings: [lost] };
  if (said === false) return looks;
  const kept = `the volumes of the storage server ${server.name} stay, with what is on them: ${HEAL_BLOCK_STORAGE} was taken as false`;
  return { ...looks, warnings: [kept], normalised: { [HEAL_BLOCK_STORAGE]: false } };
}

/** Why the request would leave the cluster without its one storage server, or with more; undefined where it does not. */
export function whyStorageCantScale({ instance, instantiateParams, countsAfter = {} }: ValidateRequest): string | undefined {
  const [server] = storageServersAmong(instance?.vnfcs ?? [], instantiateParams);
  const wanted = server === undefined ? 1 : (countsAfter[server.vduId] ?? 1);
  return wanted === 1
    ? undefined
    : `would make ${wanted} storage servers (VDU ${server?.vduId ?? ''}): there is one, and it does not scale`;
}
