import { Readable } from 'node:stream';

/** Pieces as the job script reads them: the size in a line, then as many bytes; at last `0`. A stream cut off lacks the `0`. */
export function framed(source: Readable): Readable {
  return Readable.from(frames(source), { objectMode: false });
}

async function* frames(source: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of source as AsyncIterable<Buffer | string>) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk;
    if (bytes.length > 0) yield Buffer.concat([Buffer.from(`${bytes.length}\n`), bytes]);
  }
  yield Buffer.from('0\n');
}
