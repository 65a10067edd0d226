import { randomBytes } from 'node:crypto';
import { crc32, deflateRawSync } from 'node:zlib';
import { seconds } from '@windlass/foundation';
import {
  archivedAad,
  archivedPartContract,
  KeyPair,
  open,
  packageAad,
  PackageClient,
  packagePartContract,
  RequestClient,
  type Enrolment,
} from '@windlass/messaging';
import { PgEnrolments, PgPackageContent } from '@windlass/persistence';
import { smallestPackage, zipOf } from '@windlass/vnf-package/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startReplica } from '../observability/support/replicas.js';
import { newToken, startEnrolment, taken } from '../support/enrolment.js';
import { linkTo, onboardZip, quiet, startSystem, type System } from '../support/system.js';

const SERVICE = 'k8s-mgmt';
const PATH = 'Scripts/install.bin';
const IMAGE_PATH = 'Files/images/half.img';
/** More than one part. */
const FILE = randomBytes(600 * 1024);
/** Of which half can be compressed: seven parts in the archive, twelve and more without. */
const IMAGE = Buffer.concat(
  Array.from({ length: 104 }, () => Buffer.concat([randomBytes(32_768), Buffer.alloc(32_768, 'image ')])),
);

let system: System;
let client: RequestClient;
let enrolment: Enrolment;
let vnfPkgId: string;
const heard: string[] = [];

beforeAll(async () => {
  system = await startSystem();
  const zip = zipOf(smallestPackage({ [PATH]: FILE, [IMAGE_PATH]: IMAGE }));
  vnfPkgId = String((await onboardZip(system.api, zip)).id);
  client = new RequestClient(system.link);
  const { text } = await newToken(system.database, system.masterKeys, { service: SERVICE, uses: 1 });
  enrolment = startEnrolment({ link: system.link, service: SERVICE, worker: 'k1', log: quiet, token: text });
  await taken(enrolment);
});

afterAll(async () => {
  await enrolment.stop();
  await system.close();
});

const asking = (keyId: string, service = SERVICE) => ({ vnfPkgId, path: PATH, offset: 0, length: 1_000, service, keyId });
/** As workers of an older release ask. */
const part = (keyId: string, service?: string) => client.request(packagePartContract, asking(keyId, service));
const archivedPart = (keyId: string, service?: string) => client.request(archivedPartContract, asking(keyId, service));

describe('a file of a package', () => {
  it('comes to a worker whole, and nobody else on NATS can read it', async () => {
    const ears = await linkTo(system, 'eavesdropper');
    ears.connection.subscribe('>', {
      callback: (_error, { subject, data }) => void heard.push(`${subject} ${Buffer.from(data).toString('latin1')}`),
    });
    await ears.flushed();
    const parts: Buffer[] = [];
    const signal = AbortSignal.timeout(seconds(20));
    for await (const bytes of new PackageClient(client, SERVICE, enrolment).read(vnfPkgId, PATH, signal)) parts.push(bytes);
    await ears.close();
    expect(Buffer.concat(parts).equals(FILE)).toBe(true);
    expect(heard.some((message) => message.startsWith('windlass.package.'))).toBe(true);
    // Base64 of it begins anew with every third byte.
    const word = FILE.subarray(30, 60);
    const forms = [word.toString('latin1'), word.toString('hex'), ...[0, 1, 2].map((at) => base64Of(word.subarray(at)))];
    for (const form of forms) expect(heard.filter((message) => message.includes(form))).toEqual([]);
  });

  it('is sealed to its place: another part or file can’t be given for it', async () => {
    const { keys } = enrolment;
    const { sealed, size } = await part(keys.public.id);
    expect(open(keys, sealed, packageAad({ vnfPkgId, path: PATH, offset: 0 }, size))).toEqual(FILE.subarray(0, 1_000));
    for (const other of [{ path: 'another' }, { offset: 1 }])
      expect(() => open(keys, sealed, packageAad({ vnfPkgId, path: PATH, offset: 0, ...other }, size))).toThrow(/does not open/);
  });

  it('is sealed, as it lies in the archive, to its place and to what it must come to', async () => {
    const { keys } = enrolment;
    const { sealed, ...file } = await archivedPart(keys.public.id);
    const place = { vnfPkgId, path: PATH, offset: 0 };
    expect(file).toMatchObject({ size: FILE.length, deflated: true, crc32: crc32(FILE) });
    expect(open(keys, sealed, archivedAad(place, file))).toHaveLength(1_000);
    for (const other of [{ path: 'another' }, { offset: 1 }])
      expect(() => open(keys, sealed, archivedAad({ ...place, ...other }, file))).toThrow(/does not open/);
    for (const other of [{ size: 1 }, { archivedSize: 1 }, { deflated: false }, { crc32: 1 }])
      expect(() => open(keys, sealed, archivedAad(place, { ...file, ...other }))).toThrow(/does not open/);
  });

  it('is read of PostgreSQL once, a part at a time, and comes whole though the lcm-api that answered stops in its midst', async () => {
    const read = vi.spyOn(PgPackageContent.prototype, 'read');
    const stops = [await startReplica(system), await startReplica(system, { user: 'anna' })];
    try {
      await system.link.flushed();
      const parts: Buffer[] = [];
      let taken = 0;
      const signal = AbortSignal.timeout(seconds(30));
      for await (const bytes of new PackageClient(client, SERVICE, enrolment).read(vnfPkgId, IMAGE_PATH, signal)) {
        parts.push(bytes);
        taken += bytes.length;
        if (taken > IMAGE.length / 3) await stops.pop()?.stop();
      }
      expect(stops).toHaveLength(0);
      expect(Buffer.concat(parts).equals(IMAGE)).toBe(true);
      const lengths = read.mock.calls.map(([, , , length]) => length);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(512 * 1024);
      // Each replica reads the archive's directory, and blocks around it, once.
      const { length: archived } = deflateRawSync(IMAGE);
      expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(archived + 3 * 512 * 1024);
      expect(archived).toBeGreaterThan(6 * 512 * 1024);
    } finally {
      read.mockRestore();
      await Promise.all(stops.map((replica) => replica.stop()));
    }
  });

  it('is unknown once its package is deleted, also to the lcm-api that has the archive open', async () => {
    const { id } = enrolment.keys.public;
    await archivedPart(id);
    const path = `/vnfpkgm/v1/vnf_packages/${vnfPkgId}`;
    await system.api.patch(path, { operationalState: 'DISABLED' });
    expect((await system.api.delete(path)).status).toBe(204);
    for (const asked of [archivedPart, part])
      await expect(asked(id)).rejects.toMatchObject({ status: 404, code: 'vnf-package.unknown' });
  });

  it('is refused to a key that is unknown, another service’s, or revoked', async () => {
    const { id } = enrolment.keys.public;
    const refused = { code: 'enrolment.not-enrolled' };
    for (const asked of [part, archivedPart]) {
      await expect(asked(KeyPair.generate().public.id)).rejects.toMatchObject(refused);
      await expect(asked(id, 'infra-driver')).rejects.toMatchObject(refused);
    }
    await new PgEnrolments(system.database).revokeKey(id);
    for (const asked of [part, archivedPart])
      await expect.poll(() => asked(id).catch((error: unknown) => error), { timeout: 30_000 }).toMatchObject(refused);
  });
});

const base64Of = (bytes: Buffer): string => bytes.toString('base64').replace(/.{0,3}=*$/, '');
