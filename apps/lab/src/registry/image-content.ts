import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

/** An image as a registry keeps it: its manifest, and all that is fetched by digest, the manifest too. */
export interface ImageContent {
  manifest: Buffer;
  digest: string;
  blobs: ReadonlyMap<string, Buffer>;
}

export const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';

const ARCHITECTURES: Readonly<Partial<Record<NodeJS.Architecture, string>>> = { x64: 'amd64', arm64: 'arm64' };

/**
 * An image of one layer that holds one file with the image's name: enough for a container runtime to fetch, verify and unpack. In etcd's lies etcdctl
 * besides, which people run from there without a container: the machine's own, where the stand-ins run etcd.
 */
export const imageContent = (name: string): ImageContent =>
  imageOfTree(
    tarOf([
      { name: 'windlass-lab', text: `windlass-lab stand-in for ${name}\n` },
      ...(/(^|\/)etcd[:@]/.test(name)
        ? [{ name: 'usr/local/bin/etcdctl', text: '#!/bin/sh\nexec etcdctl "$@"\n', mode: 0o755 }]
        : []),
    ]),
    { Cmd: ['/windlass-lab'] },
  );

/**
 * An image of one layer.
 * @param tree the layer, a tar archive
 * @param container what a container of it does: `Cmd`, `Entrypoint`
 */
export function imageOfTree(tree: Buffer, container: Readonly<Record<string, string[]>>): ImageContent {
  const layer = gzipSync(tree);
  const config = json({
    architecture: ARCHITECTURES[process.arch] ?? process.arch,
    os: 'linux',
    config: container,
    rootfs: { type: 'layers', diff_ids: [digestOf(tree)] },
  });
  const part = (mediaType: string, content: Buffer) => ({ mediaType, digest: digestOf(content), size: content.length });
  const manifest = json({
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    config: part('application/vnd.oci.image.config.v1+json', config),
    layers: [part('application/vnd.oci.image.layer.v1.tar+gzip', layer)],
  });
  const blobs = new Map([manifest, config, layer].map((content) => [digestOf(content), content]));
  return { manifest, digest: digestOf(manifest), blobs };
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const digestOf = (content: Buffer): string => `sha256:${createHash('sha256').update(content).digest('hex')}`;

const BLOCK = 512;

/** A file of an image. */
interface ImageFile {
  name: string;
  text: string;
  /** Permission bits; 0644 unless given. */
  mode?: number;
}

/** A tar archive (ustar) of files. */
const tarOf = (files: readonly ImageFile[]): Buffer => Buffer.concat([...files.map(entryOf), Buffer.alloc(2 * BLOCK)]);

function entryOf({ name, text, mode = 0o644 }: ImageFile): Buffer {
  const content = Buffer.from(text);
  const header = Buffer.alloc(BLOCK);
  const field = (at: number, value: string) => header.write(value, at, 'latin1');
  field(0, name);
  field(100, `${mode.toString(8).padStart(7, '0')}\0`);
  field(108, '0000000\0');
  field(116, '0000000\0');
  field(124, `${content.length.toString(8).padStart(11, '0')}\0`);
  field(136, '00000000000\0');
  // The checksum is taken with blanks in its own place.
  field(148, ' '.repeat(8));
  field(156, '0');
  field(257, 'ustar\u000000');
  field(
    148,
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
  );
  return Buffer.concat([header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]);
}
