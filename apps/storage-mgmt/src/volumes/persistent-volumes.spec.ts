import { checkVolumesUnbound, removePersistentVolumes } from '@windlass/driver-kit';
import { crashSuite, INSTANCE, undoSuite } from '@windlass/driver-kit/testing';
import { describe, expect, it } from 'vitest';
import { FakeVolumes } from '../testing/fake-volumes.js';
import { manifest, SERVER, volumeBench, type VolumeBenchOptions } from '../testing/volume-bench.js';

const label = (instance = INSTANCE) => ({ 'windlass/vnf-instance': instance });
const object = (name: string, labels: Record<string, string>, server = SERVER) => ({
  metadata: { name, labels },
  spec: { nfs: { server, path: '/x' } },
});

/** A cluster with pv1 and pv2 of the instance, and one that is somebody else's. */
const registered = (points: ConstructorParameters<typeof FakeVolumes>[0] = {}): FakeVolumes => {
  const world = new FakeVolumes(points);
  for (const name of ['pv1', 'pv2']) world.has(name, object(name, label()));
  world.has('theirs', object('theirs', {}));
  return world;
};
const namesOf = ({ volumes }: FakeVolumes) => [...volumes.keys()];
const removal = (more: VolumeBenchOptions = {}) => volumeBench({ action: removePersistentVolumes, ...more });
const undone = ({ runner }: ReturnType<typeof volumeBench>, id: string) =>
  runner.action(id).undo?.(runner.runOf(id, { phase: 'undo', epoch: 2, attemptEpoch: 2 }));

crashSuite('a registration of PersistentVolumes', {
  bench: (points) => volumeBench(points),
  stands: ({ world, runner }) => {
    expect(namesOf(world)).toEqual(['pv1', 'pv2']);
    expect(runner.outputs.get('register-persistent-volumes')).toEqual({ names: ['pv1', 'pv2'] });
  },
});

crashSuite('a removal of PersistentVolumes', {
  bench: (points) => removal({ ...points, world: registered(points) }),
  stands: ({ world }) => expect(namesOf(world)).toEqual(['theirs']),
});

undoSuite('a registration of PersistentVolumes', {
  bench: (points) => volumeBench(points),
  left: { 'register-persistent-volumes': ({ world }) => namesOf(world)[0] },
});

describe('PersistentVolumes that are registered', () => {
  it('are on the server that the plan names, with the instance’s label', async () => {
    const { world, runner } = volumeBench();
    await runner.run();
    expect(world.volumes.get('pv1')?.object).toMatchObject({ metadata: { labels: label() }, spec: { nfs: { server: SERVER } } });
  });

  it('go through a master that lives, where the first is dead', async () => {
    const { world, runner } = volumeBench();
    world.answering = ['server-b'];
    await runner.run();
    expect(namesOf(world)).toEqual(['pv1', 'pv2']);
  });

  it('are removed again, and the phase said, where one never is Available', async () => {
    const { world, runner } = volumeBench();
    world.fate = (name) => (name === 'pv2' ? 'Failed' : 'Available');
    await expect(runner.run()).rejects.toMatchObject({
      code: 'volumes.not-available',
      message: expect.stringMatching(/pv2 \(Failed\) after .*Available was expected/) as string,
    });
    expect(namesOf(world)).toEqual([]);
  });

  it('never take the place of somebody else’s of that name, and none is made then', async () => {
    for (const labels of [{}, label('another-instance')]) {
      const { world, runner } = volumeBench();
      world.has('pv2', object('pv2', labels, '192.0.2.1'));
      await expect(runner.run()).rejects.toMatchObject({ code: 'volumes.name-taken' });
      expect(namesOf(world)).toEqual(['pv2']);
      expect(world.volumes.get('pv2')?.object).toEqual(object('pv2', labels, '192.0.2.1'));
    }
  });

  it.each(['Bound', 'Released'])('and were %s before a retry stay as they are', async (phase) => {
    const { world, runner } = volumeBench();
    world.has('pv1', object('pv1', label()), phase);
    await runner.run();
    expect(world.volumes.get('pv1')?.phase).toBe(phase);
    expect(namesOf(world)).toEqual(['pv1', 'pv2']);
  });

  it('are not taken for right where one of ours is on another server', async () => {
    const { world, runner } = volumeBench();
    world.has('pv1', object('pv1', label(), '192.0.2.1'));
    await expect(runner.run()).rejects.toMatchObject({
      code: 'volumes.other-server',
      message: expect.stringContaining(`pv1 is on 192.0.2.1, and ${SERVER}`) as string,
    });
  });

  it('that the API server refuses end the step at once, in its words', async () => {
    const { world, runner } = volumeBench();
    world.refuses = 'The PersistentVolume "pv1" is invalid: spec.capacity: Required value';
    await expect(runner.run()).rejects.toMatchObject({
      code: 'volumes.refused',
      message: expect.stringContaining('spec.capacity') as string,
    });
  });

  it('of one name in two files are refused with both', async () => {
    const { runner } = volumeBench({ files: { 'a.yaml': manifest('pv1'), 'b.yaml': manifest('pv1') } });
    await expect(runner.run()).rejects.toMatchObject({
      code: 'volumes.same-name',
      message: expect.stringMatching(/a\.yaml and b\.yaml .*pv1/) as string,
    });
  });
});

describe('a look for bound PersistentVolumes', () => {
  const look = (world: FakeVolumes) => volumeBench({ action: checkVolumesUnbound, world });

  it('names those of the instance with their claims, and passes over those of others', async () => {
    const world = registered();
    world.bind('pv1', { namespace: 'shop', name: 'data' });
    world.bind('theirs');
    await expect(look(world).runner.run()).rejects.toMatchObject({
      code: 'volumes.bound',
      message: expect.stringMatching(/: pv1 \(claim shop\/data\)\. /) as string,
    });
    world.volumes.get('pv1')!.phase = 'Released';
    await look(world).runner.run();
    expect(namesOf(world)).toEqual(['pv1', 'pv2', 'theirs']);
  });

  it('takes none for unbound while no master answers', async () => {
    const world = registered();
    world.answering = [];
    const { runner } = look(world);
    await expect(runner.performOnce('check-volumes-unbound')).rejects.toMatchObject({ code: 'cluster.no-answer' });
  });
});

describe('PersistentVolumes that are removed', () => {
  it('are all of the instance’s, and nobody else’s', async () => {
    const { world, runner } = removal({ world: registered() });
    world.has('older', object('older', label()));
    await runner.run();
    expect(namesOf(world)).toEqual(['theirs']);
  });

  it('stay, all of them, where one was bound since the look', async () => {
    const { world, runner } = removal({ world: registered() });
    world.bind('pv2');
    await expect(runner.run()).rejects.toMatchObject({ code: 'volumes.bound' });
    expect([...world.volumes.values()].filter(({ deleted }) => deleted === true)).toEqual([]);
    expect(namesOf(world)).toEqual(['pv1', 'pv2', 'theirs']);
  });

  it('are registered again when that is undone, as often as it is', async () => {
    const made = removal({ world: registered() });
    await made.runner.run();
    await undone(made, 'remove-persistent-volumes');
    await undone(made, 'remove-persistent-volumes');
    expect(namesOf(made.world).sort()).toEqual(['pv1', 'pv2', 'theirs']);
    expect(made.world.volumes.get('pv1')?.object).toMatchObject({ spec: { nfs: { server: SERVER } } });
  });
});
