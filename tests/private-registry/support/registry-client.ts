import { createHash } from 'node:crypto';

const digestOf = (content: Buffer): string => `sha256:${createHash('sha256').update(content).digest('hex')}`;
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const MANIFEST_TYPES = [
  MANIFEST,
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join();

async function asked(url: string, status: number, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(url, init);
  if (answer.status !== status) throw new Error(`${init.method ?? 'GET'} ${url}: ${answer.status} ${await answer.text()}`);
  return answer;
}

/** A client of the OCI distribution API: what pushing and pulling come to. */
export class RegistryClient {
  /** @param url of the registry: `http://10.77.3.10:5000` */
  constructor(private readonly url: string) {}

  /** Pushes an image of one layer; gives its digest. */
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
    const init = { method: 'PUT', headers: { 'content-type': MANIFEST }, body: new Uint8Array(manifest) };
    await asked(`${this.url}/v2/${repository}/manifests/${tag}`, 201, init);
    return digestOf(manifest);
  }

  /** The digest of what a tag leads to; undefined where there is none. */
  async digestOf(repository: string, tag: string): Promise<string | undefined> {
    const answer = await fetch(`${this.url}/v2/${repository}/manifests/${tag}`, { headers: { accept: MANIFEST_TYPES } });
    if (answer.status === 404) return undefined;
    if (!answer.ok) throw new Error(`${repository}:${tag}: ${answer.status} ${await answer.text()}`);
    return digestOf(Buffer.from(await answer.arrayBuffer()));
  }

  /** Pulls what a tag leads to: its manifest's digest, and the bytes of its layer. */
  async pull(repository: string, tag: string): Promise<{ digest: string; layer: Buffer }> {
    const answer = await asked(`${this.url}/v2/${repository}/manifests/${tag}`, 200, { headers: { accept: MANIFEST } });
    const manifest = Buffer.from(await answer.arrayBuffer());
    const { layers } = JSON.parse(manifest.toString()) as { layers: [{ digest: string }] };
    const layer = await asked(`${this.url}/v2/${repository}/blobs/${layers[0].digest}`, 200);
    return { digest: digestOf(manifest), layer: Buffer.from(await layer.arrayBuffer()) };
  }

  async #upload(repository: string, blob: Buffer): Promise<void> {
    const begun = await asked(`${this.url}/v2/${repository}/blobs/uploads/`, 202, { method: 'POST' });
    const location = new URL(begun.headers.get('location') ?? '', this.url);
    location.searchParams.set('digest', digestOf(blob));
    const headers = { 'content-type': 'application/octet-stream' };
    await asked(location.href, 201, { method: 'PUT', headers, body: new Uint8Array(blob) });
  }
}
