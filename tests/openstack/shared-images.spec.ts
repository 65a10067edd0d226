import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { Secret, seconds, type JsonObject } from '@windlass/foundation';
import type { PackageReader } from '@windlass/infra-driver';
import { OpenStackEmulator } from '@windlass/lab';
import { imageTag, SHARED_IMAGE_TAG } from '@windlass/lifecycle';
import { NotThere } from '@windlass/saga';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ContractRun } from './testing/contract-vim.js';
import { Actions } from './testing/infra-actions.js';

const content = randomBytes(256 * 1024);
const digest = (algorithm: string, of = content): string => createHash(algorithm).update(of).digest('hex');
const DEPLOYMENT = 'windlass-deployment-of-the-test';

/** What the package gives next. */
let given: Buffer;
const packages: PackageReader = {
  open: () => Promise.resolve({ size: given.length, bytes: () => Readable.from([given]) }),
};

describe('an image that instances share', () => {
  const run = new ContractRun();
  let emulator: OpenStackEmulator;
  let actions: Actions;
  let imageId: string;

  beforeEach(async () => {
    given = content;
    emulator = await OpenStackEmulator.start({ speed: 'instant' });
    const { user: username, password, project } = emulator.tenant;
    const credentials = { kind: 'password' as const, username, password: new Secret(password), project };
    const connection = { authUrl: emulator.url, region: 'RegionOne', credentials };
    await run.begin(() => Promise.resolve({ connection, within: seconds(30), close: () => emulator.stop() }));
    actions = new Actions(run, packages);
    imageId = randomUUID();
  });
  afterEach(async () => {
    actions.close();
    await run.end();
  });

  const input = (change: JsonObject = {}, image: JsonObject = {}): JsonObject => ({
    vnfPkgId: randomUUID(),
    imageId,
    tags: [DEPLOYMENT],
    sha256: digest('sha256'),
    image: {
      vduId: 'VDU1',
      name: 'ours',
      path: 'Files/images/ours.img',
      checksum: { algorithm: 'SHA-256', hash: digest('sha256') },
      containerFormat: 'bare',
      diskFormat: 'raw',
      minDisk: 0,
      minRam: 0,
      size: content.length,
      ...image,
    },
    ...change,
  });
  const uploads = (): number => emulator.count('PUT', /\/images\/[^/]+\/file/);
  const stored = () => run.openStack.glance.findImages({ tag: imageTag(imageId) });
  const empty = (tags: string[] = [SHARED_IMAGE_TAG, imageTag(imageId), DEPLOYMENT]) =>
    run.openStack.glance.createImage({ id: imageId, name: 'ours', diskFormat: 'raw', tags: ['windlass', ...tags] });
  const fill = (id: string) => run.openStack.glance.upload(id, { bytes: () => Readable.from([content]), length: content.length });

  it('is uploaded by the first, and found by the next', async () => {
    expect(await actions.do('share-image', input())).toEqual({ imageId });
    expect(await actions.do('share-image', input({ vnfPkgId: randomUUID() }))).toEqual({ imageId });
    expect(uploads()).toBe(1);
    const [image] = await stored();
    expect(image?.tags).not.toContainEqual(expect.stringMatching(/^windlass-vnf-/));
    expect(image?.tags).toEqual(expect.arrayContaining(['windlass', SHARED_IMAGE_TAG, DEPLOYMENT]));
  });

  it('is found by a look once it is whole, whatever its id, and not before; a look changes nothing', async () => {
    const look = () => actions.do('find-shared-image', input());
    const changes = () => ['PUT', 'POST', 'PATCH', 'DELETE'].reduce((sum, method) => sum + emulator.count(method, /\/images/), 0);
    expect(await look()).toBeInstanceOf(NotThere);
    await empty();
    expect(await look()).toBeInstanceOf(NotThere);
    await fill(imageId);
    // Not compared yet: the worker that uploaded it may have died.
    expect(await look()).toBeInstanceOf(NotThere);
    const { imageId: made } = (await actions.do('share-image', input())) as { imageId: string };
    const before = changes();
    expect(await look()).toEqual({ imageId: made });
    expect(await actions.do('find-shared-image', input({ tags: ['windlass-deployment-of-another'] }))).toBeInstanceOf(NotThere);
    expect(changes()).toBe(before);
    await run.openStack.glance.deleteImage(made);
    expect(await look()).toBeInstanceOf(NotThere);
  });

  it('that died empty is filled, and one that died after its upload and before it was compared is made anew', async () => {
    await empty();
    expect(await actions.do('share-image', input())).toEqual({ imageId });
    imageId = randomUUID();
    await empty();
    await fill(imageId);
    const { imageId: made } = (await actions.do('share-image', input())) as { imageId: string };
    expect(made).not.toBe(imageId);
    expect(await stored()).toMatchObject([{ id: made, status: 'active' }]);
  });

  it('that somebody deleted by hand is uploaded anew, under another id', async () => {
    await actions.do('share-image', input());
    await run.openStack.glance.deleteImage(imageId);
    const { imageId: made } = (await actions.do('share-image', input())) as { imageId: string };
    expect(made).not.toBe(imageId);
    expect(await actions.do('share-image', input())).toEqual({ imageId: made });
    expect(uploads()).toBe(2);
  });

  it('is no image of another deployment, or of an instance, though it has the id', async () => {
    await empty([imageTag(imageId), SHARED_IMAGE_TAG, 'windlass-deployment-of-another']);
    await fill(imageId);
    await expect(actions.do('share-image', input())).rejects.toMatchObject({ code: 'image.not-ours' });
    expect(await run.openStack.glance.getImage(imageId)).toMatchObject({ status: 'active' });
  });

  it('is not what its VNFD declares: refused each time, and nobody finds it', async () => {
    const wrong = input({}, { checksum: { algorithm: 'SHA-256', hash: digest('sha256', randomBytes(8)) } });
    await expect(actions.do('share-image', wrong)).rejects.toMatchObject({ code: 'glance.hash-mismatch' });
    await expect(actions.do('share-image', wrong)).rejects.toMatchObject({ code: 'glance.hash-mismatch' });
    expect(uploads()).toBe(2);
  });

  it('is not what was onboarded, though what its VNFD declares is right: refused, and nobody finds it', async () => {
    given = randomBytes(1_000);
    const other = { checksum: { algorithm: 'SHA-256', hash: digest('sha256', given) } };
    await expect(actions.do('share-image', input({}, other))).rejects.toMatchObject({ code: 'image.wrong-bytes' });
    given = content;
    const { imageId: made } = (await actions.do('share-image', input())) as { imageId: string };
    expect(await stored()).toMatchObject([{ id: made, sizeBytes: content.length }]);
  });

  it('is gone with all that was made in its place, when it is deleted by its tags', async () => {
    await actions.do('share-image', input());
    await run.openStack.glance.deleteImage(imageId);
    await actions.do('share-image', input());
    await expect(actions.do('delete-image', { imageId, tags: [SHARED_IMAGE_TAG, 'another'] })).rejects.toMatchObject({
      code: 'image.not-ours',
    });
    await actions.do('delete-image', { imageId, tags: [SHARED_IMAGE_TAG, DEPLOYMENT] });
    expect(await stored()).toEqual([]);
  });
});
