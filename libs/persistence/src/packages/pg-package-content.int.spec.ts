import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { testPostgres, type TestDatabase } from '@windlass/embedded/testing';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDatabase, migrate } from '../database.js';
import { CHUNK_BYTES, PgPackageContent } from './pg-package-content.js';

let server: TestDatabase;
let database: DataSource;

beforeAll(async () => {
  server = await testPostgres();
  database = await connectDatabase({ url: server.url, applicationName: 'test', poolSize: 4 });
  await migrate(database);
});

afterAll(async () => {
  await database.destroy();
  await server.close();
});

async function* inParts(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

async function newPackage(): Promise<string> {
  const id = randomUUID();
  await database.query(
    `INSERT INTO package.vnf_package (id, tenant, onboarding_state, operational_state) VALUES ($1, 't', 'CREATED', 'DISABLED')`,
    [id],
  );
  return id;
}

describe('the content of a package', () => {
  it('is read back byte by byte, wherever a read begins and ends', async () => {
    const content = new PgPackageContent(database);
    const bytes = randomBytes(2 * CHUNK_BYTES + 12_345);
    const id = await newPackage();
    const written = await content.write(id, 1, inParts(bytes, 70_001));
    expect(written).toEqual({ size: bytes.length, sha512: createHash('sha512').update(bytes).digest('hex') });
    const places: [number, number][] = [
      [0, 10],
      [CHUNK_BYTES - 5, 10],
      [CHUNK_BYTES, CHUNK_BYTES],
      [5, 2 * CHUNK_BYTES + 5],
      [bytes.length - 3, 3],
      [bytes.length - 3, 99],
      [0, bytes.length],
    ];
    for (const [offset, length] of places) {
      expect(
        (await content.read(id, 1, offset, length)).equals(bytes.subarray(offset, offset + length)),
        `${offset}+${length}`,
      ).toBe(true);
    }
  });

  it('of an upload that died is not seen by the next one', async () => {
    const content = new PgPackageContent(database);
    const id = await newPackage();
    await content.write(id, 1, inParts(Buffer.from('half of it'), 4));
    await content.write(id, 2, inParts(Buffer.from('all of it'), 4));
    expect((await content.read(id, 2, 0, 100)).toString()).toBe('all of it');
    await content.remove(id, 2);
    expect((await content.read(id, 1, 0, 100)).toString()).toBe('');
  });
});
