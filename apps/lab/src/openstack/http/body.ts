import type { IncomingMessage } from 'node:http';
import type { Json } from '@windlass/foundation';

/** Largest JSON body that is read; Heat's own limit for templates is half a MiB, files come on top. */
const MAX_BYTES = 32 * 1024 * 1024;

export class BodyTooLarge extends Error {
  constructor() {
    super(`request body is larger than ${MAX_BYTES} bytes`);
    this.name = 'BodyTooLarge';
  }
}

/** The body as text. @throws BodyTooLarge. */
export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new BodyTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** True where the body is not JSON by its nature: an image's content. */
export const isStreamed = (method: string, path: string): boolean =>
  method === 'PUT' && /^\/image\/v2\/images\/[^/]+\/file$/.test(path);

/** The JSON of a text, undefined for none. @throws SyntaxError. */
export const parseJson = (text: string): Json | undefined => (text.trim() === '' ? undefined : (JSON.parse(text) as Json));
