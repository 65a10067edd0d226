import type { JsonObject } from '@windlass/foundation';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadSample, type Sample } from '../crash-points/support/samples.js';
import { begin, sceneTitled, WITH_STORAGE } from '../crash-points/support/scenes.js';
import { World } from '../crash-points/support/world.js';

let sample: Sample;
beforeAll(async () => {
  sample = await loadSample(WITH_STORAGE);
});

/** Plays scenes to their ends, and looks at what other services have been asked for by then. */
async function played(
  titles: readonly string[],
  look: (world: World, of: (action: string) => JsonObject[]) => void,
): Promise<void> {
  const world = await World.start(sample);
  try {
    for (const title of titles) {
      world.offered.done.clear();
      const id = await begin(world, sceneTitled(title));
      await world.settle(id);
      expect(world.operation(id).status, title).toBe('completed');
    }
    look(world, (action) => world.offered.inputsOf(action));
  } finally {
    await world.close();
  }
}

const machines = (inputs: readonly JsonObject[]): string[] =>
  inputs.map(({ machine }) => (machine as { vnfc: { vduId: string } }).vnfc.vduId).sort();

describe('what a cluster’s plan has other services do', () => {
  it('reaches them with what they accept: the volume by its id in the VIM, logins, every node’s registry and NFS, the manifests', async () => {
    await played(['INSTANTIATE'], ({ emulator }, of) => {
      const [server] = of('set-up-storage');
      const { volumes } = server as { volumes: { volumeId: string; mountTo: string }[] };
      const known = emulator.requests.map(({ path }) => path).join();
      expect(volumes).toMatchObject([{ mountTo: '/volume' }]);
      expect(known).toContain(volumes[0]!.volumeId);
      expect(server).toMatchObject({ machine: { username: 'ubuntu', password: 'ubuntu', vnfc: { vduId: 'storage_server' } } });
      const nodes = ['masterNode', 'workerNode'];
      expect(machines(of('install-nfs-client'))).toEqual(nodes);
      expect(machines(of('connect-registries'))).toEqual(nodes);
      expect(of('connect-registries')[0]).toMatchObject({
        registries: [{ server: '192.0.2.5:5000', scheme: 'http', username: 'puller', password: 'of-the-registry' }],
      });
      expect(of('check-volume-manifests')).toMatchObject([{ exported: { mounts: ['/volume'], nodes: [{}, {}] } }]);
      expect(of('try-nfs-mounts')).toMatchObject([{ nodes: [{ username: 'ubuntu' }, {}], manifests: [{}, {}, {}] }]);
      expect(of('register-persistent-volumes')).toHaveLength(1);
    });
  });

  it('is done on a worker that comes, and on no other', async () => {
    await played(['INSTANTIATE', 'SCALE out of a cluster'], (_world, of) => {
      expect(machines(of('install-nfs-client'))).toEqual(['workerNode']);
      expect(machines(of('connect-registries'))).toEqual(['workerNode']);
      expect(of('set-up-storage')).toEqual([]);
    });
  });

  it('is done again for a storage server that was healed: its PersistentVolumes go first and come again; nodes are let be', async () => {
    await played(['INSTANTIATE', 'HEAL of a storage server'], ({ offered }, of) => {
      const order = [...offered.done.values()].map(({ action }) => action);
      expect(order).toEqual([
        'check-volumes-unbound',
        'remove-persistent-volumes',
        'set-up-storage',
        'try-nfs-mounts',
        'register-persistent-volumes',
      ]);
      expect(of('set-up-storage')).toMatchObject([{ machine: { vnfc: { vduId: 'storage_server' } } }]);
    });
  });
});
