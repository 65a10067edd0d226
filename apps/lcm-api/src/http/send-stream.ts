import { minutes } from '@windlass/foundation';
import type { Response } from 'express';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** How long a client may read nothing before its connection ends. */
const SILENCE = minutes(2);

/** Sends as fast as the client reads. A client that leaves, or reads nothing any more, ends the stream. */
export async function sendStream(source: Readable, response: Response): Promise<void> {
  response.setTimeout(SILENCE, () => response.destroy());
  try {
    await pipeline(source, response);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
    throw error;
  }
}
