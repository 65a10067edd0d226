import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { minutes, seconds, TerminalError } from '@windlass/foundation';
import { removeFolder } from '../debian/cache.js';
import { run } from '../debian/command.js';

/** An archive that a project publishes, and the programs in it. */
export interface Download {
  url: string;
  digest: { algorithm: 'sha256' | 'sha512'; hex: string };
  /** Where each program goes in the folder of binaries, by its path in the archive. */
  programs: Readonly<Record<string, string>>;
}

/** How long a server may say nothing, at first and between two pieces. */
const SILENCE = seconds(20);

/**
 * Fetches an archive, holds it against its digest, and takes its programs out. Nothing of an archive is unpacked that is not what it was said to be.
 * @throws TerminalError `lab.download` with the address and what was wrong: no answer, a refusal, another digest, a program that is not in it
 */
export async function fetchPrograms(download: Download, folder: string): Promise<void> {
  const archive = path.join(folder, 'archive.tar.gz');
  const unpacked = path.join(folder, 'unpacked');
  const failed = (what: string, cause?: unknown) => new TerminalError('lab.download', `${download.url}: ${what}`, { cause });
  try {
    const found = await fetchFile(download, archive).catch((cause: unknown) => {
      throw failed(reasonOf(cause), cause);
    });
    const { algorithm, hex } = download.digest;
    if (found !== hex)
      throw failed(
        `what came has the ${algorithm} ${found}, and ${hex} was expected: it is not used; a proxy's page or a cut-off file looks like this too`,
      );
    await mkdir(unpacked);
    await run('tar', ['-C', unpacked, '--no-same-owner', '-xzf', archive, ...Object.keys(download.programs)], {
      within: minutes(10),
    }).catch((cause: unknown) => {
      throw failed(`the archive has not what it should: ${reasonOf(cause)}`, cause);
    });
    for (const [member, to] of Object.entries(download.programs)) {
      await mkdir(path.dirname(path.join(folder, to)), { recursive: true });
      await copyFile(path.join(unpacked, member), path.join(folder, to));
    }
  } finally {
    await rm(archive, { force: true });
    await removeFolder(unpacked);
  }
}

/** @returns the digest of what came */
async function fetchFile({ url, digest }: Download, file: string): Promise<string> {
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(new Error(`nothing came for ${SILENCE / 1000} s`)), SILENCE);
  try {
    const answer = await fetch(url, { signal: silent.signal });
    if (!answer.ok || answer.body === null) throw new Error(`answered ${answer.status}`);
    const hash = createHash(digest.algorithm);
    const pieces = Readable.fromWeb(answer.body as import('node:stream/web').ReadableStream<Uint8Array>);
    await pipeline(
      pieces,
      async function* (source: AsyncIterable<Buffer>) {
        for await (const piece of source) {
          timer.refresh();
          hash.update(piece);
          yield piece;
        }
      },
      createWriteStream(file),
    );
    return hash.digest('hex');
  } finally {
    clearTimeout(timer);
  }
}

/** `fetch` says only that it failed; the reason is below. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
};
