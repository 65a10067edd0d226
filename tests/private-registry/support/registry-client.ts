import { createHash } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { ImageContent } from '@windlass/lab';

const digestOf = (content: Buffer): string => `sha256:${createHash('sha256').update(content).digest('hex')}`;
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const MANIFEST_TYPES = [
  MANIFEST,
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join();

/** The credentials and authority for a closed registry. */
export interface ClientOptions {
  /** The certificates of the trusted authority, PEM; Node's own unless given. */
  ca?: string;
  login?: { user: string; password: string };
}

interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: Buffer;
}

interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

/** A client of the OCI distribution API, which pushes and pulls images. */
export class RegistryClient {
  /** @param url of the registry: `http://10.77.3.10:5000` */
  constructor(
    private readonly url: string,
    private readonly options: ClientOptions = {},
  ) {}

  /** The status of `GET /v2/`. @throws Node's error of the connection */
  async status(): Promise<number> {
    return (await this.#ask('/v2/')).status;
  }

  /** Pushes an image of one layer. Returns the image's digest. */
  async push(repository: string, tag: string, layer: Buffer): Promise<string> {
    const config = Buffer.from(
      JSON.stringify({ architecture: 'amd64', os: 'linux', rootfs: { type: 'layers', diff_ids: [digestOf(layer)] } }),
    );
    const part = (mediaType: string, content: Buffer) => ({ mediaType, digest: digestOf(content), size: content.length });
    for (const blob of [config, layer]) await this.#upload(repository, blob);
    const manifest = Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: MANIFEST,
        config: part('application/vnd.oci.image.config.v1+json', config),
        layers: [part('application/vnd.oci.image.layer.v1.tar', layer)],
      }),
    );
    return this.#name(repository, tag, manifest);
  }

  /** Pushes a given image. */
  async pushImage(repository: string, tag: string, { manifest, blobs }: ImageContent): Promise<void> {
    for (const blob of blobs.values()) await this.#upload(repository, blob);
    await this.#name(repository, tag, manifest);
  }

  /** The digest of a tag; undefined where there is no such tag. */
  async digestOf(repository: string, tag: string): Promise<string | undefined> {
    const answer = await this.#ask(`/v2/${repository}/manifests/${tag}`, { headers: { accept: MANIFEST_TYPES } });
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw new Error(`${repository}:${tag}: ${answer.status} ${answer.body.toString()}`);
    return digestOf(answer.body);
  }

  /** Pulls a tag's image: the manifest's digest, and the bytes of the layer. */
  async pull(repository: string, tag: string): Promise<{ digest: string; layer: Buffer }> {
    const { body } = await this.#expect(200, `/v2/${repository}/manifests/${tag}`, { headers: { accept: MANIFEST } });
    const { layers } = JSON.parse(body.toString()) as { layers: [{ digest: string }] };
    const layer = await this.#expect(200, `/v2/${repository}/blobs/${layers[0].digest}`);
    return { digest: digestOf(body), layer: layer.body };
  }

  async #name(repository: string, tag: string, manifest: Buffer): Promise<string> {
    const asked = { method: 'PUT', headers: { 'content-type': MANIFEST }, body: manifest };
    await this.#expect(201, `/v2/${repository}/manifests/${tag}`, asked);
    return digestOf(manifest);
  }

  async #upload(repository: string, blob: Buffer): Promise<void> {
    const begun = await this.#expect(202, `/v2/${repository}/blobs/uploads/`, { method: 'POST' });
    const location = new URL(begun.headers.location ?? '', this.url);
    location.searchParams.set('digest', digestOf(blob));
    const headers = { 'content-type': 'application/octet-stream' };
    await this.#expect(201, location.pathname + location.search, { method: 'PUT', headers, body: blob });
  }

  async #expect(status: number, path: string, asked: Asked = {}): Promise<Answer> {
    const answer = await this.#ask(path, asked);
    if (answer.status !== status) throw new Error(`${asked.method ?? 'GET'} ${path}: ${answer.status} ${answer.body.toString()}`);
    return answer;
  }

  #ask(path: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Answer> {
    const { ca, login } = this.options;
    const url = new URL(path, this.url);
    const auth = login === undefined ? {} : { auth: `${login.user}:${login.password}` };
    const length = body === undefined ? {} : { 'content-length': body.length };
    // Each request has a new connection: a kept one would be dead after a restart of the registry.
    const options = { method, headers: { ...headers, ...length }, agent: false, ...auth, ...(ca === undefined ? {} : { ca }) };
    return new Promise((resolve, reject) => {
      const request = (url.protocol === 'https:' ? https : http).request(url, options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      });
      request.once('error', reject);
      request.end(body);
    });
  }
}
