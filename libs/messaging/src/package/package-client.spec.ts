import { randomBytes, randomUUID } from 'node:crypto';
import { crc32, deflateRawSync } from 'node:zlib';
import { TransientError } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import type { Contract } from '../contracts/contract.js';
import { KeyPair } from '../sealing/key-pair.js';
import { seal } from '../sealing/sealed-box.js';
import { PackageClient } from './package-client.js';
import { archivedAad, type ArchivedFile, type PackagePartRequest } from './package-contract.js';

const MIB = 1024 * 1024;
const PART = 512 * 1024;
const keys = KeyPair.generate();
const vnfPkgId = randomUUID();
const PATH = 'Files/images/a.img';

/** What an lcm-api answers to the request of that number, counted from 1, about bytes that are deflated. */
type Answer = (request: PackagePartRequest, number: number) => { bytes: Buffer; file: ArchivedFile };

const announced = (content: Buffer, archived: Buffer): ArchivedFile => ({
  size: content.length,
  archivedSize: archived.length,
  deflated: true,
  crc32: crc32(content),
});

/** Answers with these archived bytes. */
const giving =
  (archived: Buffer, file: ArchivedFile): Answer =>
  ({ offset, length }) => ({ bytes: archived.subarray(offset, offset + length), file });

/** A client whose requests are noted, and answered as told. */
function clientOf(answer: Answer): { client: PackageClient; asked: number[] } {
  const asked: number[] = [];
  const requestUntilAnswered = <Request, Reply>(_contract: Contract<Request, Reply>, data: Request): Promise<Reply> => {
    const request = data as PackagePartRequest;
    asked.push(request.offset);
    const { bytes, file } = answer(request, asked.length);
    return Promise.resolve({ ...file, sealed: seal(keys.public, bytes, archivedAad(request, file)) } as Reply);
  };
  return { client: new PackageClient({ requestUntilAnswered }, 'infra-driver', { keys }), asked };
}

async function read(client: PackageClient): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of client.read(vnfPkgId, PATH, new AbortController().signal)) parts.push(part);
  return Buffer.concat(parts);
}

const content = Buffer.concat([randomBytes(3 * MIB), Buffer.alloc(2 * MIB, 'windlass ')]);
const archived = deflateRawSync(content);
const file = announced(content, archived);

describe('a deflated file of a package', () => {
  it('is inflated by who asks: each of its archived bytes is asked for once, in order', async () => {
    const { client, asked } = clientOf(giving(archived, file));
    expect((await read(client)).equals(content)).toBe(true);
    expect(asked).toEqual(Array.from({ length: Math.ceil(archived.length / PART) }, (_one, n) => n * PART));
  });

  it('is not asked for faster than it is taken: a few parts are under way, whatever its size', async () => {
    const { client, asked } = clientOf(giving(archived, file));
    const reading = client.read(vnfPkgId, PATH, new AbortController().signal);
    await reading.next();
    await new Promise((resolve) => setImmediate(resolve));
    const underWay = asked.length;
    expect(underWay).toBeLessThanOrEqual(4);
    let taken = 0;
    for await (const part of reading) {
      taken += part.length;
      // Half of the rest at the latest, one part asked for is one part taken.
      expect(asked.length * PART - taken).toBeLessThanOrEqual(5 * PART);
      if (taken > 2 * MIB) break;
    }
    const whenLeft = asked.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toHaveLength(whenLeft); // nobody wants more
  });

  it('is empty where the archive’s is', async () => {
    const empty = deflateRawSync(Buffer.alloc(0));
    expect(await read(clientOf(giving(empty, announced(Buffer.alloc(0), empty))).client)).toHaveLength(0);
    const stored = { size: 0, archivedSize: 0, deflated: false, crc32: 0 };
    expect(await read(clientOf(giving(Buffer.alloc(0), stored)).client)).toHaveLength(0);
  });

  it('fails with what the message bus says, so that the step is tried again', async () => {
    const lost = new TransientError('messaging.no-answer', 'no answer');
    const { client } = clientOf((request, number) => {
      if (number === 3) throw lost;
      return giving(archived, file)(request, number);
    });
    await expect(read(client)).rejects.toBe(lost);
  });
});

describe('a file that is not what was announced', () => {
  const refused = (answer: Answer) => expect(read(clientOf(answer).client)).rejects;

  it('is refused for good: another CRC-32, more or fewer bytes than announced, bytes that do not inflate', async () => {
    await refused(giving(archived, { ...file, crc32: file.crc32 ^ 1 })).toMatchObject({
      name: 'TerminalError',
      code: 'csar.corrupt',
    });
    for (const size of [file.size - 1, file.size + 1])
      await refused(giving(archived, { ...file, size })).toMatchObject({ code: 'csar.size-mismatch' });
    await refused(giving(Buffer.alloc(MIB, 0xff), { ...file, archivedSize: MIB })).toMatchObject({ code: 'csar.corrupt' });
  });

  it('is not inflated further than announced: of a bomb, not one byte more is given', async () => {
    const bomb = deflateRawSync(Buffer.alloc(64 * MIB));
    const { client, asked } = clientOf(giving(bomb, { ...announced(Buffer.alloc(0), bomb), size: 1_000 }));
    let taken = 0;
    const reading = async (): Promise<void> => {
      for await (const part of client.read(vnfPkgId, PATH, new AbortController().signal)) taken += part.length;
    };
    await expect(reading()).rejects.toMatchObject({ code: 'csar.size-mismatch' });
    expect(taken).toBeLessThanOrEqual(1_000);
    expect(asked).toHaveLength(1);
  });

  it('is refused before its second part where it announces more than its bytes may come to', async () => {
    const zeros = deflateRawSync(Buffer.alloc(64 * MIB));
    const { client, asked } = clientOf(giving(zeros, announced(Buffer.alloc(64 * MIB), zeros)));
    await expect(read(client)).rejects.toMatchObject({ name: 'TerminalError', code: 'csar.compression-ratio' });
    expect(asked).toHaveLength(1);
  });

  it('is refused where its announcement changes in the midst of it', async () => {
    await refused((request, number) =>
      giving(archived, number < 3 ? file : { ...file, crc32: 1 })(request, number),
    ).toMatchObject({
      code: 'package.changed',
    });
  });

  it('comes to an end where answers hold nothing, or more than there is', async () => {
    await refused(({ offset }) => ({ bytes: archived.subarray(offset, offset > 0 ? offset : PART), file })).toMatchObject({
      code: 'csar.corrupt',
    });
    const endless = { size: 3 * PART, archivedSize: 3 * PART, deflated: false, crc32: 0 };
    await refused(() => ({ bytes: Buffer.alloc(PART + 1), file: endless })).toMatchObject({ code: 'csar.size-mismatch' });
  });
});
