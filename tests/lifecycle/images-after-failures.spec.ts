import type { JsonObject } from '@windlass/foundation';
import { VimSessions } from '@windlass/infra-driver';
import { cleanUpOf } from '@windlass/lifecycle';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { loadSample, sampleRequest, type Sample } from '../crash-points/support/samples.js';
import { VIM, vimOf } from '../crash-points/support/services.js';
import { World } from '../crash-points/support/world.js';
import { play, type Outcome } from './support/desired-world.js';

let own: Sample;
let request: JsonObject;
let world: World;

beforeAll(async () => {
  own = await loadSample('simple-vm');
  request = await sampleRequest('instantiate-simple-vm.json');
});

afterEach(() => world.close());

const TERMINATION = { terminationType: 'FORCEFUL' };
const NAME = 'ubuntu-22.04-server-cloudimg-amd64';

/** How many images of the package the VIM has. */
const inVim = (): number => world.emulator.inventory().flatMap(({ images }) => images.filter(({ name }) => name === NAME)).length;

async function deleteByHand(): Promise<void> {
  const sessions = new VimSessions(undefined);
  try {
    const { glance } = sessions.of({ connectionId: 'vim', ...vimOf(world.emulator).access });
    for (const { id } of await glance.findImages({ name: NAME })) await glance.deleteImage(id);
  } finally {
    sessions.close();
  }
  expect(inVim()).toBe(0);
}

/** Who refers to the images on the record. */
const referrers = (): string[][] => world.store.shared.all().map(({ instances }) => instances);

const pending = (): string[] =>
  [...world.store.internals.values()].filter(({ state }) => state === 'PENDING').map(({ kind }) => kind);

const instantiate = (at?: { outcome: Outcome; point: string }) => play(world, 'INSTANTIATE', request, at);
const terminate = (at?: { outcome: Outcome; point: string }) => play(world, 'TERMINATE', TERMINATION, at);

const nothingLeft = async (): Promise<void> => {
  await world.settleInternals();
  expect({ images: inVim(), referrers: referrers(), pending: pending() }).toEqual({ images: 0, referrers: [], pending: [] });
};

describe.each([
  ['an instance that shares its image', true, 'share-image:VDU1'],
  ['an instance with its own image', false, 'upload-image:VDU1'],
] as const)('%s', (_which, shares, upload) => {
  const start = async (sample = own): Promise<void> => {
    world = await World.start(shares ? { ...sample, sharesImages: true } : sample);
  };
  // Of a shared image these two are its look's, which is claimed first.
  const points = [`before-apply of ${upload}`, `after-effect of ${upload}`, 'after-effect of read-stack'];

  it.each(points)('leaves no image when its instantiation fails %s and is rolled back', async (point) => {
    await start();
    expect(await instantiate({ outcome: 'rolled back', point })).toEqual({ state: 'ROLLED_BACK', failed: true });
    await nothingLeft();
  });

  it.each(points)('has one image when its instantiation was marked as failed %s and another was begun', async (point) => {
    await start();
    expect(await instantiate({ outcome: 'marked as failed', point })).toEqual({ state: 'FAILED', failed: true });
    expect(await instantiate()).toMatchObject({ state: 'COMPLETED' });
    await world.settleInternals();
    expect({ images: inVim(), referrers: referrers() }).toEqual({ images: 1, referrers: shares ? [[world.instance.id]] : [] });
    await terminate();
    await nothingLeft();
  });

  it('is refused the bytes whose hash the VNFD declares otherwise, and leaves none of them', async () => {
    const { model } = own.record;
    const declared = JSON.stringify(model).replaceAll(/("hash":")[0-9a-f]{64}/g, `$1${'0'.repeat(64)}`);
    await start({ ...own, record: { ...own.record, model: JSON.parse(declared) as typeof model } });
    const id = world.accept('INSTANTIATE', request);
    await world.settle(id);
    expect(world.operation(id)).toMatchObject({ status: 'suspended', failure: { code: 'glance.hash-mismatch' } });
    await world.ask(id, 'rollback');
    await world.settle(id);
    expect(world.opOcc(id).operationState).toBe('ROLLED_BACK');
    await nothingLeft();
  });

  it('is terminated although somebody deleted its image by hand, and has another when it is made again', async () => {
    await start();
    await instantiate();
    await deleteByHand();
    expect(await terminate()).toMatchObject({ state: 'COMPLETED' });
    await nothingLeft();
    await instantiate();
    expect(inVim()).toBe(1);
    await terminate();
    await nothingLeft();
  });

  it('keeps its image where a termination fails before it changed anything, and loses it with a stack that is gone', async () => {
    await start();
    await instantiate();
    await terminate({ outcome: 'marked as failed', point: 'before-apply of delete-stack' });
    expect({ images: inVim(), referrers: referrers() }).toEqual({ images: 1, referrers: shares ? [[world.instance.id]] : [] });
    expect(await terminate({ outcome: 'marked as failed', point: 'after-effect of delete-stack' })).toMatchObject({
      failed: true,
    });
    expect(world.instance.instantiated).toBeNull();
    if (world.instance.leftovers !== null) await instantiate().then(() => terminate());
    await nothingLeft();
  });
});

describe('a clean-up that a person gives up, of an instance that shared its image', () => {
  it('leaves no reference on the record, and begins no other clean-up that could never be done either', async () => {
    world = await World.start({ ...own, sharesImages: true });
    await instantiate({ outcome: 'marked as failed', point: 'after-effect of read-stack' });
    const { id, tenant, leftovers } = world.instance;
    if (leftovers === null) throw new Error('the instantiation left nothing');
    // DELETE removes the row so.
    world.store.instances.delete(id);
    world.emulator.faults.add({ kind: 'status', status: 403, method: 'DELETE', path: '/stacks/', times: 'always' });
    const subject = cleanUpOf(leftovers, { choice: leftovers.vim });
    const cleanUp = await world.beginInternal({ kind: 'CLEAN_UP', tenant, vnfInstanceId: id, vimId: VIM, subject });
    await world.settle(cleanUp);
    expect(world.operation(cleanUp).status).toBe('suspended');
    await world.ask(cleanUp, 'abandon');
    await world.settle(cleanUp);
    expect({ images: inVim(), referrers: referrers(), pending: pending() }).toEqual({ images: 1, referrers: [], pending: [] });
  });
});
