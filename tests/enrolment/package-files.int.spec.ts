import { randomBytes } from 'node:crypto';
import { seconds } from '@windlass/foundation';
import {
  KeyPair,
  open,
  packageAad,
  PackageClient,
  packagePartContract,
  RequestClient,
  type Enrolment,
} from '@windlass/messaging';
import { PgEnrolments } from '@windlass/persistence';
import { smallestPackage, zipOf } from '@windlass/vnf-package/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newToken, startEnrolment, taken } from '../support/enrolment.js';
import { linkTo, onboardZip, quiet, startSystem, type System } from '../support/system.js';

const SERVICE = 'k8s-mgmt';
const PATH = 'Scripts/install.bin';
/** More than one part. */
const FILE = randomBytes(600 * 1024);

let system: System;
let client: RequestClient;
let enrolment: Enrolment;
let vnfPkgId: string;
const heard: string[] = [];

beforeAll(async () => {
  system = await startSystem();
  vnfPkgId = String((await onboardZip(system.api, zipOf(smallestPackage({ [PATH]: FILE })))).id);
  client = new RequestClient(system.link);
  const { text } = await newToken(system.database, system.masterKeys, { service: SERVICE, uses: 1 });
  enrolment = startEnrolment({ link: system.link, service: SERVICE, worker: 'k1', log: quiet, token: text });
  await taken(enrolment);
});

afterAll(async () => {
  await enrolment.stop();
  await system.close();
});

const part = (keyId: string, service = SERVICE) =>
  client.request(packagePartContract, { vnfPkgId, path: PATH, offset: 0, length: 1_000, service, keyId });

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
    expect(parts).toHaveLength(2);
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

  it('is refused to a key that is unknown, another service’s, or revoked', async () => {
    const { id } = enrolment.keys.public;
    const refused = { code: 'enrolment.not-enrolled' };
    await expect(part(KeyPair.generate().public.id)).rejects.toMatchObject(refused);
    await expect(part(id, 'infra-driver')).rejects.toMatchObject(refused);
    await new PgEnrolments(system.database).revokeKey(id);
    await expect.poll(() => part(id).catch((error: unknown) => error), { timeout: 10_000 }).toMatchObject(refused);
  });
});

const base64Of = (bytes: Buffer): string => bytes.toString('base64').replace(/.{0,3}=*$/, '');
