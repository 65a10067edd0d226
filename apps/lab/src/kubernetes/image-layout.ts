import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { minutes } from '@windlass/foundation';
import { run } from '../debian/command.js';

/** A blob of a layout, as manifests name it. */
export interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
  annotations?: Record<string, string>;
}

/** What a container of an image runs, where its pod does not say. */
export interface ImageDefaults {
  entrypoint?: readonly string[];
  command?: readonly string[];
}

const ARCHITECTURES: Readonly<Partial<Record<NodeJS.Architecture, string>>> = { x64: 'amd64', arm64: 'arm64' };
/** As Debian, Go and OCI images name this machine's architecture. */
export const ARCHITECTURE: string = ARCHITECTURES[process.arch] ?? process.arch;

export const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const CONFIG = 'application/vnd.oci.image.config.v1+json';
// Not packed: what a node would spend on unpacking is worth more here than disk.
const LAYER = 'application/vnd.oci.image.layer.v1.tar';

/** The annotation by which containerd knows an image's full name. */
export const IMAGE_NAME = 'io.containerd.image.name';

/**
 * An OCI image layout on disk: all images of a release in one folder, each blob once. A registry serves from it, and
 * `tar -C <folder> -c . | ctr -n k8s.io images import -` imports it.
 */
export class ImageLayout {
  readonly #manifests: Descriptor[] = [];

  private constructor(readonly folder: string) {}

  /** @param folder made here, and to be finished with {@link finish} */
  static async begin(folder: string): Promise<ImageLayout> {
    await mkdir(path.join(folder, 'blobs/sha256'), { recursive: true });
    return new ImageLayout(folder);
  }

  /** The files of a folder as a layer, all root's: the same files are the same layer whenever it is made. */
  async layer(tree: string): Promise<Descriptor> {
    const file = path.join(this.folder, 'blobs/layer');
    const same = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--format=gnu'];
    await run('tar', [...same, '-C', tree, '-cf', file, '.'], { within: minutes(10) });
    const hex = await sha256(file);
    const { size } = await stat(file);
    await rename(file, this.#blob(hex));
    return { mediaType: LAYER, digest: `sha256:${hex}`, size };
  }

  /** @param names in full, with their tags; all are the same image */
  async image(names: readonly string[], layers: readonly Descriptor[], defaults: ImageDefaults): Promise<void> {
    const config = await this.#json(CONFIG, {
      architecture: ARCHITECTURE,
      os: 'linux',
      config: {
        Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
        ...(defaults.entrypoint === undefined ? {} : { Entrypoint: defaults.entrypoint }),
        ...(defaults.command === undefined ? {} : { Cmd: defaults.command }),
      },
      // A layer that is not packed has the digest of what it unpacks to.
      rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) },
    });
    const manifest = await this.#json(MANIFEST, { schemaVersion: 2, mediaType: MANIFEST, config, layers });
    for (const name of names) {
      const tag = name.slice(name.lastIndexOf(':') + 1);
      this.#manifests.push({ ...manifest, annotations: { [IMAGE_NAME]: name, 'org.opencontainers.image.ref.name': tag } });
    }
  }

  async finish(): Promise<void> {
    await writeFile(path.join(this.folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
    const index = { schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json', manifests: this.#manifests };
    await writeFile(path.join(this.folder, 'index.json'), JSON.stringify(index));
  }

  async #json(mediaType: string, value: unknown): Promise<Descriptor> {
    const content = Buffer.from(JSON.stringify(value));
    const hex = createHash('sha256').update(content).digest('hex');
    await writeFile(this.#blob(hex), content);
    return { mediaType, digest: `sha256:${hex}`, size: content.length };
  }

  #blob(hex: string): string {
    return path.join(this.folder, 'blobs/sha256', hex);
  }
}

/** What a finished layout has, for a registry. */
export class ServedImages {
  private constructor(
    private readonly folder: string,
    private readonly manifests: ReadonlyMap<string, string>,
    private readonly manifestDigests: ReadonlySet<string>,
  ) {}

  static async open(folder: string): Promise<ServedImages> {
    const { manifests } = JSON.parse(await readFile(path.join(folder, 'index.json'), 'utf8')) as { manifests: Descriptor[] };
    const byName = manifests.map(({ digest, annotations }): [string, string] => [annotations?.[IMAGE_NAME] ?? '', digest]);
    return new ServedImages(folder, new Map(byName), new Set(manifests.map(({ digest }) => digest)));
  }

  /** The images' full names with their tags. */
  get names(): string[] {
    return [...this.manifests.keys()];
  }

  /** Digest of an image's manifest; undefined where there is none of this name and tag. */
  digestOf(name: string): string | undefined {
    return this.manifests.get(name);
  }

  /** Where a blob lies, its size and type; undefined where it is none of these images'. */
  async blob(digest: string): Promise<{ file: string; size: number; type: string } | undefined> {
    const [, hex] = /^sha256:([0-9a-f]{64})$/.exec(digest) ?? [];
    if (hex === undefined) return undefined;
    const file = path.join(this.folder, 'blobs/sha256', hex);
    try {
      const { size } = await stat(file);
      return { file, size, type: this.manifestDigests.has(digest) ? MANIFEST : 'application/octet-stream' };
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }
}

export async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
