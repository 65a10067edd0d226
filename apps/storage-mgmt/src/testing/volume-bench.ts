import {
  boundTo,
  defineDriver,
  machineReference,
  paramsSource,
  registerPersistentVolumes,
  STORAGE_SERVICE,
  type Login,
  type PackageFileRef,
  type PersistentVolumesInput,
} from '@windlass/driver-kit';
import { driverBench, hookContextOf, INSTANCE, packagesOf, vnfc, type CrashPoints } from '@windlass/driver-kit/testing';
import { millis } from '@windlass/foundation';
import { sequence, stepOf, type ActionContract } from '@windlass/saga';
import { volumeActions } from '../volumes/volume-actions.js';
import { FakeVolumes } from './fake-volumes.js';

/** The address that the bench's plans give the NFS server. */
export const SERVER = '10.10.0.50';

/** A package's manifest, with another server's address. */
export const manifest = (name: string): string => `apiVersion: v1
kind: PersistentVolume
metadata:
  name: ${name}
spec:
  capacity:
    storage: 1Gi
  accessModes:
    - ReadWriteMany
  persistentVolumeReclaimPolicy: Retain
  nfs:
    server: 0.0.0.0
    path: /volume/nfs/${name}
`;

export interface VolumeBenchOptions extends CrashPoints {
  /** The files of the package, by path; pv1 and pv2 unless given. */
  files?: Readonly<Record<string, string>>;
  /** The one step of the plan; the registration unless given. */
  action?: ActionContract<PersistentVolumesInput>;
  /** An existing world; a new one unless given. */
  world?: FakeVolumes;
}

interface Params {
  masters: Login;
}

const params = { masters: { username: 'ubuntu', password: 'ubuntu' } };

/** One step on PersistentVolumes, two masters, and the package with its manifests. */
export function volumeBench({
  files = twoVolumes,
  action = registerPersistentVolumes,
  world,
  ...points
}: VolumeBenchOptions = {}) {
  const volumes = world ?? new FakeVolumes(points);
  const masters = [vnfc('a', 'CP1', '10.10.0.24'), vnfc('b', 'CP1', '10.10.0.25')];
  const driver = defineDriver({
    name: 'mgmt-drivers-volumes-alone',
    version: '0.1.0',
    service: STORAGE_SERVICE,
    actions: volumeActions(),
    parameters: {
      type: 'object',
      properties: { masters: { type: 'object', properties: { password: { type: 'string', writeOnly: true } } } },
    },
    hooks: {
      instantiate_end: () => ({
        root: sequence(
          stepOf(action, {
            id: action.name,
            target: 'cluster',
            input: {
              instance: INSTANCE,
              masters: masters.map(({ id, cps }) => ({
                ...machineReference({
                  name: id,
                  vnfcId: id,
                  sshCp: 'CP1',
                  params: paramsSource<Params>(),
                  login: (of) => of.masters,
                  shown: params.masters,
                }),
                address: cps[0]!.addresses[0]!,
              })),
              manifests: Object.keys(files).map((path) => ({ file: fileOf(path), server: SERVER })),
            },
          }),
        ),
      }),
    },
  });
  return {
    world: volumes,
    ...driverBench({
      parts: { driver, actions: (ports) => boundTo(volumeActions(millis(400)), ports) },
      hook: hookContextOf({ vnfcs: masters }),
      params,
      hosts: volumes.hosts,
      packages: packagesOf(files),
      ...points,
    }),
  };
}

const twoVolumes = { 'Files/kubernetes/nfs-pv1.yaml': manifest('pv1'), 'Files/kubernetes/nfs-pv2.yaml': manifest('pv2') };

const fileOf = (path: string): PackageFileRef => ({ vnfPkgId: 'package', path, size: 1, sha256: 'ab'.repeat(32) });
