import type { JsonObject } from '@windlass/foundation';
import type { HealedVnfcs, ValidateRequest } from '@windlass/mgmt-driver';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../settings/settings.js';
import { guideParams, PARAMS, storageServer, validateRequest, vnfc, withStorage } from '../../testing/requests.js';
import { kubernetesDriver } from '../../kubeadm.driver.js';

const driver = kubernetesDriver(defaultSettings);
const STORAGE = `/additionalParams/${PARAMS}/storage_server`;

type Changes = Partial<Record<'volumes' | 'exports' | 'manifests', JsonObject[]>>;
/** The sample body with other entries in its lists. */
function params({ volumes, exports, manifests }: Changes = {}): JsonObject {
  const all = withStorage(guideParams());
  const cluster = all[PARAMS] as Record<string, JsonObject>;
  if (volumes !== undefined) cluster.storage_server!.cinder_volume_setup_params = volumes;
  if (exports !== undefined) cluster.storage_server!.nfs_server_setup_params = exports;
  if (manifests !== undefined) Object.assign(cluster, { pv_registration_params: manifests });
  return all;
}
const checked = (changes: Changes = {}, more: Partial<ValidateRequest> = {}) =>
  driver.validate(validateRequest(params(changes), more));
const faults = (...args: Parameters<typeof checked>): string[] => checked(...args).invalidParams.map(({ path }) => path);
const volume = (name: string, mount: string): JsonObject => ({ volume_resource_id: name, mount_to: mount });
const exported = (directory: string, to: string): JsonObject => ({ export_dir: directory, export_to: to });

describe('storage in a request', () => {
  it('is taken as the sample body has it, and so is none of it', () => {
    expect(checked().invalidParams).toEqual([]);
    expect(faults({ manifests: [] })).toEqual([]);
    expect(driver.validate(validateRequest(guideParams())).invalidParams).toEqual([]);
  });

  it('has ranges taken without host bits, which is told, and the hooks see them so', () => {
    const { normalised, warnings, invalidParams } = checked({
      exports: [exported('/volume/a', '10.10.0.7/24'), exported('/volume/b', '10.10.0.9')],
    });
    expect(invalidParams).toEqual([]);
    expect(warnings).toContain('export_to 10.10.0.7/24 was taken as 10.10.0.0/24');
    expect((normalised[PARAMS] as JsonObject).storage_server).toEqual({
      nfs_server_setup_params: [exported('/volume/a', '10.10.0.0/24'), exported('/volume/b', '10.10.0.9')],
    });
  });

  it('warns of what is exported from no volume, and not of the mount itself or what only begins like it', () => {
    const warnings = (directory: string) =>
      checked({ exports: [exported(directory, '10.0.0.1')] }).warnings.filter((text) => text.includes('under no mount_to'));
    expect(warnings('/volume')).toEqual([]);
    expect(warnings('/volume/a/')).toEqual([]);
    expect(warnings('/volumes/a')).toHaveLength(1);
    expect(warnings('/srv')).toHaveLength(1);
  });

  it('warns of a volume that the VNFD does not give the server', () => {
    expect(checked().warnings.join()).not.toContain('storage');
    expect(checked({ volumes: [volume('another_volume', '/volume')] }).warnings.join()).toContain(
      'gives VDU storage_server no storage another_volume; it has storage_server_volume',
    );
  });

  it('names a thing once: a volume, where it is mounted, what is exported to whom, a manifest', () => {
    expect(faults({ volumes: [volume('a', '/volume'), volume('a', '/other')] })).toEqual([
      `${STORAGE}/cinder_volume_setup_params/1/volume_resource_id`,
    ]);
    expect(faults({ volumes: [volume('a', '/volume'), volume('b', '/volume/')] })).toEqual([
      `${STORAGE}/cinder_volume_setup_params/1/mount_to`,
    ]);
    const twice = [exported('/volume/a', '10.0.0.0/8'), exported('/volume/a/', '10.1.2.3/8')];
    expect(faults({ exports: twice })).toEqual([`${STORAGE}/nfs_server_setup_params/1/export_dir`]);
    expect(faults({ exports: [exported('/volume/a', '10.0.0.0/8'), exported('/volume/a', '192.168.0.0/16')] })).toEqual([]);
    const [first] = (params()[PARAMS] as Record<string, JsonObject[]>).pv_registration_params!;
    const same = { ...first!, pv_manifest_file_path: './Files/kubernetes/nfs-pv1.yaml' };
    expect(faults({ manifests: [first!, same] })).toEqual([
      `/additionalParams/${PARAMS}/pv_registration_params/1/pv_manifest_file_path`,
    ]);
  });

  it.each(['/root/data', '/volume/a=b', '/etc/x', '/var/run/x', '/volume/../etc', '/volume/.', '/', '/my volume'])(
    'is neither mounted at nor exported from %j, which the installation would refuse: 400 with its path',
    (path) => {
      const at = [`${STORAGE}/cinder_volume_setup_params/0/mount_to`, `${STORAGE}/nfs_server_setup_params/0/export_dir`];
      expect(faults({ volumes: [volume('storage_server_volume', path)], exports: [exported(path, '10.0.0.1')] })).toEqual(at);
    },
  );

  it('may have a volume mounted in another: an export lies on the deepest', () => {
    const volumes = [volume('a', '/volume/inner'), volume('b', '/volume')];
    expect(faults({ volumes, exports: [exported('/volume/inner/a:b', '10.0.0.1')] })).toEqual([]);
  });

  it('is one server: of a VDU that makes more, or whose nodes are the cluster’s, none is', () => {
    const two = { countsAfter: { masterNode: 1, workerNode: 2, storage_server: 2 } };
    const paths = [
      `${STORAGE}/ssh_cp_name`,
      ...[0, 1, 2].map((n) => `/additionalParams/${PARAMS}/pv_registration_params/${n}/nfs_server_cp`),
    ];
    expect(faults({}, two)).toEqual(paths);
  });

  describe('whose manifests onboarding has read', () => {
    type Packed = NonNullable<ValidateRequest['files'][number]['persistentVolumes']>;
    const first = { pv_manifest_file_path: 'Files/kubernetes/nfs-pv1.yaml', nfs_server_cp: 'storage_server_CP' };
    const second = { ...first, pv_manifest_file_path: 'Files/kubernetes/nfs-pv2.yaml' };
    const at = (n: number): string => `/additionalParams/${PARAMS}/pv_registration_params/${n}/pv_manifest_file_path`;
    const wrong = (read: Packed[], changes: Changes = { manifests: [first, second] }) => {
      const { files } = validateRequest(params());
      const told = files.map((file) => {
        const persistentVolumes = read[Number(/nfs-pv(\d)/.exec(file.path)?.[1]) - 1];
        return persistentVolumes === undefined ? file : { ...file, persistentVolumes };
      });
      return checked(changes, { files: told }).invalidParams;
    };
    const of = (name: string, path: string): Packed => ({ volumes: [{ name, path }] });

    it('is taken where they name what is exported', () => {
      expect(wrong([of('pv1', '/volume/nfs/pv1'), of('pv2', '/volume/nfs/pv2/inner')])).toEqual([]);
    });

    it('is refused for one that is none, with its words', () => {
      expect(wrong([{ volumes: [], fault: 'document 1 is no YAML map: x' }])).toMatchObject([
        { path: at(0), reason: expect.stringContaining('document 1 is no YAML map: x') as string },
      ]);
    });

    it('is refused for a PersistentVolume that the storage server does not export, and not for one of another server', () => {
      expect(wrong([of('pv1', '/volume/nfs/pv1'), of('pv2', '/volume/other')])).toMatchObject([
        { path: at(1), reason: expect.stringMatching(/has pv2 at \/volume\/other .* exports \/volume\/nfs\/pv1, /) as string },
      ]);
      expect(wrong([of('pv1', '/other')], { manifests: [{ ...first, nfs_server_cp: 'outside_CP' }] })).toEqual([]);
    });

    it('is refused for two of one name', () => {
      expect(wrong([of('pv1', '/volume/nfs/pv1'), of('pv1', '/volume/nfs/pv2')])).toMatchObject([{ path: at(1) }]);
    });
  });

  it('may register PersistentVolumes of a server behind a port that is no VDU’s', () => {
    expect(
      faults({ manifests: [{ pv_manifest_file_path: 'Files/kubernetes/nfs-pv1.yaml', nfs_server_cp: 'outside_CP' }] }),
    ).toEqual([]);
  });
});

describe('a request on an instance with a storage server', () => {
  const on = (operation: ValidateRequest['operation'], more: Partial<ValidateRequest>, instantiated = params()) =>
    driver.validate(validateRequest(instantiated, { operation, requestParams: {}, instantiateParams: instantiated, ...more }));
  const vnfcs = [vnfc('master', 1, '10.10.0.24'), vnfc('worker', 1, '10.10.0.31'), storageServer()];
  const heal = (ids: string[], requestParams: JsonObject = {}, about: Partial<HealedVnfcs> = {}, instantiated = params()) =>
    on(
      'HEAL',
      {
        requestParams,
        instance: {
          vnfcs,
          sharedCps: [],
          affectedVnfcs: [],
          heal: { vnfcIds: ids, whole: false, recreates: false, cause: null, earlierResourceIds: {}, ...about },
        },
      },
      instantiated,
    );

  it('to heal it wants bound PersistentVolumes looked for, and keeps its volumes', () => {
    const reply = heal(['storage']);
    expect(reply).toMatchObject({ looks: ['bound-volumes'], normalised: { tacker_extension_heal_include_block_storage: false } });
    expect(reply.warnings.join()).toContain('volumes of the storage server vm-storage stay');
  });

  it('to heal it says that data is lost, where the request wants the volumes replaced', () => {
    for (const wanted of [{ tacker_extension_heal_include_block_storage: true }, { all: true }]) {
      const reply = heal(['storage'], wanted);
      expect(reply).toMatchObject({ looks: ['bound-volumes'], normalised: {} });
      expect(reply.warnings.join()).toContain('is lost');
    }
    expect(heal(['storage'], { tacker_extension_heal_include_block_storage: false })).toMatchObject({
      warnings: [],
      normalised: {},
    });
  });

  it('to heal the whole looks for nothing, and says that data is lost where the volumes are made anew', () => {
    const all = vnfcs.map(({ id }) => id);
    const anew = heal(all, {}, { whole: true, recreates: true });
    expect(anew.looks).toBeUndefined();
    expect(anew.warnings.join()).toContain('is lost');
    expect(heal(all, { all: false }, { whole: true })).toMatchObject({ warnings: [], normalised: {} });
  });

  it('to heal a node looks for nothing, and neither does one without PersistentVolumes', () => {
    expect(heal(['worker-1'])).toEqual({ invalidParams: [], warnings: [], normalised: {} });
    expect(heal(['storage'], {}, {}, params({ manifests: [] })).looks).toBeUndefined();
  });

  it('to heal it with the only master is refused all the same', () => {
    expect(heal(['storage', 'master-1'])).toMatchObject({ refusal: { code: 'cluster.only-master' }, looks: ['bound-volumes'] });
  });

  it('to scale it is refused, however it is said', () => {
    const instance = { vnfcs, sharedCps: [], affectedVnfcs: [] };
    const countsAfter = { masterNode: 1, workerNode: 1, storage_server: 2 };
    expect(on('SCALE', { instance, countsAfter, request: { aspectId: 'storage' } }).invalidParams).toMatchObject([
      { path: '/aspectId' },
    ]);
    expect(on('SCALE_TO_LEVEL', { instance, countsAfter, request: { scaleInfo: [] } }).invalidParams).toMatchObject([
      { path: '/scaleInfo' },
    ]);
    const workers = { masterNode: 1, workerNode: 2, storage_server: 1 };
    expect(on('SCALE', { instance, countsAfter: workers, request: { aspectId: 'worker_instance' } }).invalidParams).toEqual([]);
  });
});
