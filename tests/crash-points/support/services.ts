import { seconds } from '@windlass/foundation';
import { infraActions, SCRIPT_SETTINGS, type VimSessions } from '@windlass/infra-driver';
import { REGISTRY_SERVICE, STORAGE_SERVICE, type PackageFiles, type PureDriver } from '@windlass/driver-kit';
import type { FakeVims, OfferedStandIns } from '@windlass/driver-kit/testing';
import { defaultSettings, K8S_SERVICE, k8sParts, kubesprayParts } from '@windlass/k8s-mgmt';
import type { FakeCluster } from '@windlass/k8s-mgmt/testing';
import { OpenStackEmulator, type EmulatorOptions } from '@windlass/lab';
import { COORDINATOR_SERVICE, INFRA_SERVICE, OPERATIONS, type DriverClient, type LcmStore } from '@windlass/lifecycle';
import { TENANT, type RegisteredVim } from '@windlass/lifecycle/testing';
import type { BoundAction } from '@windlass/saga';
import { registryParts } from '@windlass/registry-mgmt';
import { coordinatorActions, type NfvoSettings } from '@windlass/saga-coordinator';
import { storageParts } from '@windlass/storage-mgmt';
import type { SimulatedCluster } from './simulated-cluster.js';
import type { Sample } from './samples.js';

/** The id of the VIM that {@link startVim} starts. */
export const VIM = '22222222-2222-4222-8222-222222222222';

/**
 * Starts the lab's OpenStack, which answers at once. A server's end removes its machine. Each server, and what Heat makes at once, is a second
 * younger than what was made before: VNFCs are in the order of their age, which would otherwise depend on whether a heal comes within the second of the instantiation.
 */
export function startVim(hosts: FakeCluster, options: Pick<EmulatorOptions, 'showHost'> = {}): Promise<OpenStackEmulator> {
  const begun = Date.now();
  let made = 0;
  return OpenStackEmulator.start({
    ...options,
    clock: () => begun + seconds(made++),
    speed: 'instant',
    fleet: {
      boot: () => Promise.resolve(),
      reboot: () => Promise.resolve(),
      shutDown: () => Promise.resolve(),
      replug: () => Promise.resolve(),
      destroy: (serverId) => Promise.resolve(hosts.destroy(serverId)),
    },
  });
}

/** The VIM as the registry of VIMs has it. */
export const vimOf = ({ tenant, url }: OpenStackEmulator): RegisteredVim => ({
  id: VIM,
  tenant: TENANT,
  isDefault: true,
  access: {
    authUrl: url,
    username: tenant.user,
    password: tenant.password,
    userDomainName: 'Default',
    projectName: tenant.project,
    projectDomainName: 'Default',
    verifyTls: true,
  },
});

export const kubernetesDriver = (): PureDriver => k8sParts(defaultSettings).driver;

/** The announced drivers of all services; those of storage and registries offer actions to the cluster's driver. */
export const announced = (): PureDriver[] => [
  kubernetesDriver(),
  kubesprayParts(defaultSettings).driver,
  storageParts.driver,
  registryParts.driver,
];

export interface Surroundings {
  store: LcmStore;
  sample: Sample;
  sessions: VimSessions;
  cluster: SimulatedCluster;
  machines: FakeCluster['hosts'];
  vims: FakeVims;
  /** Stand-ins for the actions that other services offer; those services' own suites test the real actions. */
  offered: OfferedStandIns;
  /** The NFVO that grants; undefined: grants are local. */
  nfvo: NfvoSettings | undefined;
}

/** The actions of every service, by the service: the real ones, and stand-ins for offered actions unless the sample asks for the real ones. */
export function serviceActions({
  store,
  sample,
  sessions,
  cluster,
  machines,
  vims,
  offered,
  nfvo,
}: Surroundings): ReadonlyMap<string, readonly BoundAction[]> {
  const { csar } = sample;
  const packages = {
    open: (_id: string, path: string) => Promise.resolve({ size: csar.member(path).size, bytes: () => csar.openMember(path) }),
  };
  const read = ({ path }: { path: string }) => csar.readMember(path, 16 * 1024 * 1024);
  const files: PackageFiles = {
    read,
    stream: async function* (file) {
      yield await read(file);
    },
  };
  const { actions } = k8sParts(defaultSettings);
  const ports = { hosts: machines, vims, packages: files };
  const isReal = sample.otherServices === 'real';
  const known = new Map(announced().map((driver) => [driver.describe().driver, driver]));
  const drivers: DriverClient = { plan: ({ driver }, context) => Promise.resolve(known.get(driver)!.plan(context)) };
  return new Map([
    [
      INFRA_SERVICE,
      infraActions(
        sessions,
        packages,
        {
          stackWithin: seconds(30),
          absentFor: seconds(0),
          objectsWithin: seconds(30),
          imageMovesWithin: seconds(30),
          ...SCRIPT_SETTINGS,
        },
        cluster.open,
      ),
    ],
    [K8S_SERVICE, actions(ports)],
    [STORAGE_SERVICE, isReal ? storageParts.actions(ports) : offered.boundOf(STORAGE_SERVICE)],
    [REGISTRY_SERVICE, isReal ? registryParts.actions(ports) : offered.boundOf(REGISTRY_SERVICE)],
    [COORDINATOR_SERVICE, coordinatorActions(store, OPERATIONS, drivers, nfvo)],
  ]);
}
