import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { Secret, millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import type { PackageReader } from '@windlass/infra-driver';
import { OpenStackEmulator } from '@windlass/lab';
import { imageTag, vnfTag } from '@windlass/lifecycle';
import { LeaseEnded } from '@windlass/saga';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ContractRun } from './testing/contract-vim.js';
import { Actions } from './testing/infra-actions.js';

const content = randomBytes(3 * 1024 * 1024);
const digest = (algorithm: string): string => createHash(algorithm).update(content).digest('hex');

/** The bytes that the package gives next: all of them, unless a test says otherwise. */
let bytes: () => Readable;
const packages: PackageReader = { open: () => Promise.resolve({ size: content.length, bytes: () => bytes() }) };

describe('an image of the package', () => {
  const run = new ContractRun();
  let emulator: OpenStackEmulator;
  let actions: Actions;
  let vnfInstanceId: string;
  let imageId: string;
  let path: string;

  beforeEach(async () => {
    bytes = () => Readable.from([content]);
    emulator = await OpenStackEmulator.start();
    const { user: username, password, project } = emulator.tenant;
    const credentials = { kind: 'password' as const, username, password: new Secret(password), project };
    const connection = { authUrl: emulator.url, region: 'RegionOne', credentials };
    await run.begin(() => Promise.resolve({ connection, within: seconds(30), close: () => emulator.stop() }));
    actions = new Actions(run, packages);
    [vnfInstanceId, imageId] = [randomUUID(), randomUUID()];
    path = `/image/v2/images/${imageId}/file`;
  });
  afterEach(async () => {
    actions.close();
    await run.end();
  });

  const input = (change: JsonObject = {}): JsonObject => ({
    vnfInstanceId,
    vnfPkgId: randomUUID(),
    imageId,
    image: {
      vduId: 'VDU1',
      name: 'mine',
      path: 'Files/images/mine.img',
      checksum: { algorithm: 'SHA-512', hash: digest('sha512') },
      containerFormat: 'bare',
      diskFormat: 'raw',
      minDisk: 0,
      minRam: 0,
      size: content.length,
      ...change,
    },
  });
  const stored = () => run.openStack.glance.findImages({ tag: vnfTag(vnfInstanceId) });

  it('is sent with the length that the archive has, whatever its VNFD declares, and tells how far it is', async () => {
    const told: string[] = [];
    await actions.do('upload-image', input({ size: 2_000_000_000 }), { onProgress: (line) => told.push(line) });
    expect(await stored()).toMatchObject([{ id: imageId, status: 'active', sizeBytes: content.length, hash: digest('sha512') }]);
    expect(told.at(-1)).toBe('3.0 of 3.0 MiB sent');
    expect(told).toContain('1.5 of 3.0 MiB sent');
  });

  it('has the limits in Glance that its VNFD gives in bytes, rounded up to the units in which Glance counts them', async () => {
    await actions.do('upload-image', input({ minDisk: 2e9, minRam: 512e6 }));
    expect(await stored()).toMatchObject([{ minDiskGiB: 2, minRamMiB: 489 }]);
  });

  it('that Glance takes no bytes of is given up after the time, and the next attempt leaves one image', async () => {
    emulator.faults.add({ kind: 'hang', method: 'PUT', path, times: 1 });
    await expect(actions.do('upload-image', input())).rejects.toMatchObject({
      name: 'TransientError',
      code: 'glance.upload-stalled',
      message: expect.stringContaining('nothing moved for 2.0 s') as string,
    });
    await actions.do('upload-image', input());
    expect(await stored()).toMatchObject([{ status: 'active', sizeBytes: content.length }]);
  });

  it('is torn off by a forceful cancel at once, and what Glance had of it is removed', async () => {
    const cancelled = new AbortController();
    bytes = () => {
      const source = new Readable({ read: () => undefined });
      source.push(content.subarray(0, 100_000));
      return source;
    };
    const upload = actions.do('upload-image', input(), { signal: cancelled.signal });
    const torn = expect(upload).rejects.toThrow('cancelled');
    await waitUntil(async () => (await stored()).find(({ status }) => status === 'saving'), {
      for: 'Glance to get bytes',
      within: seconds(20),
      every: millis(10),
    });
    cancelled.abort(new LeaseEnded('cancelled'));
    await torn;
    expect(await actions.stop('upload-image', input())).toBe(true);
    expect(await stored()).toEqual([]);
  });

  it('whose worker died before it compared what Glance has is compared by the next one', async () => {
    const { glance } = run.openStack;
    await glance.createImage({ id: imageId, name: 'mine', diskFormat: 'raw', tags: [vnfTag(vnfInstanceId), imageTag(imageId)] });
    await glance.upload(imageId, { bytes: () => Readable.from([Buffer.from('other bytes')]), length: 11 });
    await actions.do('upload-image', input());
    expect(await stored()).toMatchObject([{ status: 'active', sizeBytes: content.length }]);
    await actions.undo('upload-image', input());
    expect(await stored()).toEqual([]);
  });

  it('that is not what its VNFD says is refused, though its size is right', async () => {
    const checksum = { algorithm: 'sha-256', hash: 'ab'.repeat(32) };
    await expect(actions.do('upload-image', input({ checksum }))).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'glance.hash-mismatch',
    });
  });
});
