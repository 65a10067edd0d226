import type { FakeCluster } from '@windlass/k8s-mgmt/testing';
import { nodes as nodesOfRegistries, RegistryVms } from '@windlass/registry-mgmt/testing';
import { FakeStorage, FakeVolumes } from '@windlass/storage-mgmt/testing';
import { sorted } from './blanked.js';
import { loadSample, type OtherMachines, type Sample, type ThereInVim } from './samples.js';
import { PRIVATE_REGISTRY, WITH_STORAGE } from './scenes.js';
import type { World } from './world.js';

/** A cluster whose nodes pull from a registry, and mount the directories of the VNF's storage server, with the real actions of all services. */
export const storageSample = (): Promise<Sample> => withOtherServices(WITH_STORAGE, clusterWithStorage);

/** A registry of images on a VM with a volume, with the real actions of all services. */
export const registrySample = (): Promise<Sample> => withOtherServices(PRIVATE_REGISTRY, registryVms);

const withOtherServices = async (name: string, machines: NonNullable<Sample['machines']>): Promise<Sample> => ({
  ...(await loadSample(name)),
  machines,
  otherServices: 'real',
  alsoSeen: (world) => Promise.resolve(world.otherMachines?.seen(vimOf(world))),
});

const vimOf = ({ emulator }: World): ThereInVim => {
  const projects = emulator.inventory();
  return {
    servers: projects.flatMap(({ servers }) => servers.map(({ id }) => id)),
    volumes: projects.flatMap(({ volumes }) => volumes.map(({ id }) => id)),
  };
};

function clusterWithStorage(cluster: FakeCluster): OtherMachines {
  const storage = new FakeStorage({}, cluster.hosts);
  const volumes = new FakeVolumes({}, cluster);
  nodesOfRegistries({}, 'containerd\n', cluster.hosts);
  return {
    seen: (vim) => ({
      ...storageOf(storage, vim),
      persistentVolumes: cluster.api === undefined ? [] : sorted([...volumes.volumes.values()]),
      nodes: sorted(
        vim.servers.map((id) =>
          [...cluster.hosts.machine(id).files].map(([path, { content }]) => `${path}: ${content.toString()}`),
        ),
      ),
    }),
  };
}

function registryVms({ hosts }: FakeCluster): OtherMachines {
  const registries = new RegistryVms({}, true, hosts);
  const storage = new FakeStorage({}, hosts);
  return {
    seen: (vim) => ({
      ...storageOf(storage, vim),
      registries: sorted(
        vim.servers.map((id) => {
          const { files, images, ...vm } = registries.vm(id);
          return { ...vm, files: [...files].sort(), images: [...images].sort() };
        }),
      ),
    }),
  };
}

/** The file systems of the present volumes, numbered in the order of their making: another number means that the data are lost. */
const storageOf = ({ set, fileSystems }: FakeStorage, { servers, volumes }: ThereInVim) => ({
  storage: sorted(servers.map((id) => set.get(id) ?? null)),
  fileSystems: [...fileSystems].flatMap((id, at) => (volumes.includes(id) ? [at + 1] : [])),
});
