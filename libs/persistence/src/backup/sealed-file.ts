import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { RequestError, type JsonObject } from '@windlass/foundation';
import { ByteSource } from './byte-source.js';

/** The format of the file that this release writes, and the newest that it reads. */
export const BACKUP_FORMAT = 1;

const MAGIC = Buffer.from('WINDLASS-BACKUP\n');
const TAG_BYTES = 16;
/** What is sealed at once: a file is read and written in little memory. */
const CHUNK_BYTES = 1 << 20;
const MOST_HEADER_BYTES = 1 << 16;

/** What a backup says of itself in the clear; it is sealed against change with each chunk. */
export type BackupHeader = {
  format: number;
  /** The release that wrote it. */
  release: string;
  /** The last migration of its schema. */
  schema: string;
  /** When the snapshot was taken, RFC 3339, by the database's clock. */
  takenAt: string;
  deploymentId: string;
  /** Of the record in it. */
  incarnation: number;
  /** Names of the master keys that open what is sealed in the record, the newest first; empty where they were not given. */
  masterKeys: string[];
  /** Whether the master keys themselves lie in it. */
  withMasterKey: boolean;
};

/** What the header holds besides, of the seal. */
type SealedHeader = BackupHeader & { salt: string; keyCheck: string };

interface Seal {
  key: Buffer;
  keyCheck: string;
  /** Binds each chunk to the header. */
  header: Buffer;
}

/** A key of the file's own is made of the operator's: one nonce is never used twice under one key, however many backups there are. */
function derived(key: Buffer, salt: Buffer): { key: Buffer; keyCheck: string } {
  const made = Buffer.from(hkdfSync('sha256', key, salt, 'windlass backup 1', 48));
  return { key: made.subarray(0, 32), keyCheck: made.subarray(32).toString('hex') };
}

/** 11 bytes count the chunks, the twelfth marks the last: one that was moved, left out or cut off does not open. */
function nonceOf(number: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(number, 5, 6);
  nonce[11] = last ? 1 : 0;
  return nonce;
}

/**
 * Seals a stream: the header in the clear, then chunks by AES-256-GCM under a key made of `key` and a salt.
 * @param key 32 bytes
 */
export async function* sealed(header: BackupHeader, key: Buffer, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const salt = randomBytes(32);
  const made = derived(key, salt);
  const text = Buffer.from(JSON.stringify({ ...header, salt: salt.toString('hex'), keyCheck: made.keyCheck }));
  const head = Buffer.concat([MAGIC, uint32(text.length), text]);
  yield head;
  const seal = { ...made, header: createHash('sha256').update(head).digest() };
  const source = new ByteSource(content);
  for (let number = 0, last = false; !last; number += 1) {
    const plain = await source.upTo(CHUNK_BYTES);
    last = await source.ended();
    yield sealedChunk(seal, number, plain, last);
  }
}

function sealedChunk({ key, header }: Seal, number: number, plain: Buffer, last: boolean): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number, last));
  cipher.setAAD(header);
  const body = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return Buffer.concat([Buffer.from([last ? 1 : 0]), uint32(body.length), body]);
}

/**
 * Reads the header alone; nothing says yet that nobody changed it.
 * @throws RequestError 400 `backup.none`, `backup.newer-format`
 */
export async function headerOf(file: AsyncIterable<Buffer>): Promise<BackupHeader> {
  return shownHeader((await readHead(new ByteSource(file))).header);
}

/**
 * Opens what was sealed, chunk by chunk.
 * @throws RequestError 400 `backup.none`, `backup.newer-format`, `backup.wrong-key`, `backup.truncated`, `backup.damaged`
 */
export async function* opened(file: AsyncIterable<Buffer>, key: Buffer): AsyncGenerator<Buffer> {
  const source = new ByteSource(file);
  const { header, bytes } = await readHead(source);
  const made = derived(key, Buffer.from(header.salt, 'hex'));
  if (made.keyCheck !== header.keyCheck)
    throw new RequestError(
      400,
      'backup.wrong-key',
      'the backup was sealed with another key: give the key file that it was made with',
    );
  const seal = { ...made, header: createHash('sha256').update(bytes).digest() };
  for (let number = 0, last = false; !last; number += 1) {
    const head = await source.upTo(5);
    if (head.length < 5) throw truncated(number);
    last = head[0] === 1;
    const length = head.readUInt32BE(1);
    if (length < TAG_BYTES || length > CHUNK_BYTES + TAG_BYTES) throw damaged(number);
    const body = await source.upTo(length);
    if (body.length < length) throw truncated(number);
    yield openedChunk(seal, number, body, last);
  }
  if (!(await source.ended()))
    throw new RequestError(400, 'backup.damaged', 'something stands behind the end of the backup: take another copy of it');
}

function openedChunk({ key, header }: Seal, number: number, body: Buffer, last: boolean): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number, last), { authTagLength: TAG_BYTES });
  decipher.setAAD(header);
  decipher.setAuthTag(body.subarray(body.length - TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(body.subarray(0, body.length - TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw damaged(number, cause);
  }
}

async function readHead(source: ByteSource): Promise<{ header: SealedHeader; bytes: Buffer }> {
  const start = await source.upTo(MAGIC.length + 4);
  if (start.length < MAGIC.length + 4 || !start.subarray(0, MAGIC.length).equals(MAGIC))
    throw new RequestError(400, 'backup.none', 'the file is no backup of Windlass');
  const length = start.readUInt32BE(MAGIC.length);
  if (length > MOST_HEADER_BYTES)
    throw new RequestError(400, 'backup.damaged', 'the header of the backup is damaged: take another copy of it');
  const text = await source.upTo(length);
  if (text.length < length) throw truncated(0);
  return { header: parsedHeader(text), bytes: Buffer.concat([start, text]) };
}

function parsedHeader(text: Buffer): SealedHeader {
  let header: Partial<SealedHeader> & JsonObject;
  try {
    header = JSON.parse(text.toString('utf8')) as Partial<SealedHeader> & JsonObject;
  } catch (cause) {
    throw new RequestError(400, 'backup.damaged', 'the header of the backup is damaged: take another copy of it', { cause });
  }
  if (typeof header.format === 'number' && header.format > BACKUP_FORMAT)
    throw new RequestError(
      400,
      'backup.newer-format',
      `the backup has format ${header.format}, of release ${String(header.release)}; this release reads ${BACKUP_FORMAT}: restore it with that release`,
    );
  const texts = [header.release, header.schema, header.takenAt, header.deploymentId, header.salt, header.keyCheck];
  const isWhole =
    texts.every((one) => typeof one === 'string') && Number.isSafeInteger(header.incarnation) && Array.isArray(header.masterKeys);
  if (header.format !== BACKUP_FORMAT || !isWhole)
    throw new RequestError(400, 'backup.damaged', 'the header of the backup is damaged: take another copy of it');
  return header as SealedHeader;
}

const shownHeader = ({ salt: _salt, keyCheck: _keyCheck, ...header }: SealedHeader): BackupHeader => header;

const truncated = (number: number): RequestError =>
  new RequestError(
    400,
    'backup.truncated',
    `the backup breaks off in chunk ${number + 1}, before its end: take another copy of it`,
  );

const damaged = (number: number, cause?: unknown): RequestError =>
  new RequestError(
    400,
    'backup.damaged',
    `chunk ${number + 1} of the backup is not as it was written: bytes were changed, or chunks left out or reordered. Take another copy of it`,
    { cause },
  );

/** A number of 32 bits, the highest byte first. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
