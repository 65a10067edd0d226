import { InvariantError, RequestError, type JsonObject } from '@windlass/foundation';
import { ByteSource } from './byte-source.js';
import { uint32 } from './sealed-file.js';

/** What a backup is made of, in this order: tables with their rows, sequences, the master keys if they are in it, the end. */
export type Frame =
  | { kind: 'table'; table: CopiedTable }
  /** Rows in PostgreSQL's binary COPY format, in pieces. */
  | { kind: 'rows'; bytes: Buffer }
  | { kind: 'table-end'; rows: number }
  | { kind: 'sequences'; sequences: CopiedSequence[] }
  | { kind: 'master-keys'; text: string }
  | { kind: 'end'; tables: number; rows: number };

export type CopiedTable = { schema: string; name: string; columns: string[] };
export type CopiedSequence = { schema: string; name: string; last: string };

const KINDS: readonly Frame['kind'][] = ['table', 'rows', 'table-end', 'sequences', 'master-keys', 'end'];
const MOST_BYTES = 1 << 24;
const PIECE_BYTES = 1 << 20;

/** A frame as bytes: its kind, its length, and JSON or rows. */
export function encodedFrame(frame: Exclude<Frame, { kind: 'rows' }>): Buffer {
  const { kind, ...body } = frame;
  return framed(kind, Buffer.from(JSON.stringify(body)));
}

/** Rows as frames, however long the piece is. */
export function* encodedRows(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield framed('rows', bytes.subarray(at, at + PIECE_BYTES));
}

function framed(kind: Frame['kind'], body: Buffer): Buffer {
  if (body.length > MOST_BYTES) throw new InvariantError(`a frame of a backup has ${body.length} bytes`);
  return Buffer.concat([Buffer.from([KINDS.indexOf(kind)]), uint32(body.length), body]);
}

/** @throws RequestError 400 `backup.damaged` for what no backup holds */
export async function* framesOf(content: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  const source = new ByteSource(content);
  while (!(await source.ended())) {
    const head = await source.upTo(5);
    const kind = KINDS[head[0] ?? -1];
    const length = head.length < 5 ? Number.POSITIVE_INFINITY : head.readUInt32BE(1);
    if (kind === undefined || length > MOST_BYTES) throw notOurs();
    const body = await source.upTo(length);
    if (body.length < length) throw notOurs();
    yield kind === 'rows' ? { kind, bytes: body } : ({ kind, ...(JSON.parse(body.toString('utf8')) as JsonObject) } as Frame);
  }
}

const notOurs = (): RequestError =>
  new RequestError(
    400,
    'backup.damaged',
    'the backup opens, but holds what no backup of Windlass holds: it was made by something else',
  );
