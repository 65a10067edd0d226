import { createReadStream } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { MANIFEST, type ServedImages } from '../kubernetes/image-layout.js';
import { refusal, type Refuses, type RegistryAnswer } from './registry.js';
import { imageAt } from './served-images.js';

/** What a registry answers out of files. */
export interface FileAnswer {
  headers: Record<string, string>;
  file: string;
  size: number;
}

/** The pulling half of the OCI distribution API for images that are there: exactly these names and tags, and nothing else. */
export async function realAnswer(
  images: ServedImages,
  host: string,
  path: string,
  refuses: Refuses,
): Promise<FileAnswer | RegistryAnswer> {
  const match = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(path);
  const [, repository = '', , reference = ''] = match ?? [];
  const image = imageAt(host, repository);
  if (match === null || image === undefined || !images.names.some((name) => name.startsWith(`${image}:`)))
    return refusal(404, 'NAME_UNKNOWN', `repository name not known to registry: ${repository}`);
  const byTag = !reference.startsWith('sha256:');
  if (byTag && refuses(`${image}:${reference}`)) return refusal(503, 'UNAVAILABLE', 'service unavailable');
  const digest = byTag ? images.digestOf(`${image}:${reference}`) : reference;
  const blob = digest === undefined ? undefined : await images.blob(digest);
  if (digest === undefined || blob === undefined)
    return refusal(404, byTag ? 'MANIFEST_UNKNOWN' : 'BLOB_UNKNOWN', `${image} has no ${reference} here`);
  const type = byTag ? MANIFEST : blob.type;
  return { headers: { 'content-type': type, 'docker-content-digest': digest }, file: blob.file, size: blob.size };
}

/** Sends a file; a client that goes away in the middle is its own matter. */
export async function sendFile(response: ServerResponse, { headers, file, size }: FileAnswer, body: boolean): Promise<void> {
  response.writeHead(200, { ...headers, 'content-length': size });
  if (!body) {
    response.end();
    return;
  }
  await pipeline(createReadStream(file), response).catch((error: unknown) => {
    if (!response.destroyed) throw error;
  });
}
