import { minutes } from '@windlass/foundation';
import type { Response } from 'express';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A client that takes nothing in for so long is let go. */
const SILENCE = minutes(2);

/** Sends as fast as the client takes in; one that goes away, or takes nothing in any more, ends it. */
export async function sendStream(source: Readable, response: Response): Promise<void> {
  response.setTimeout(SILENCE, () => response.destroy());
  try {
    await pipeline(source, response);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
    throw error;
  }
}
