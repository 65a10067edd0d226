import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Duration } from '@windlass/foundation';

const run = promisify(execFile);
const BIN = join(import.meta.dirname, 'bin');

/** Podman and buildah with their own images, containers, networks and settings below one folder, apart from any other podman of this machine. */
export class PodmanStore {
  private constructor(
    readonly folder: string,
    /** The environment of programs that call podman. */
    readonly environment: NodeJS.ProcessEnv,
    private readonly letGo: () => void,
  ) {}

  /** Waits until no other process uses the folder, and removes what a killed run left. */
  static async open(folder: string): Promise<PodmanStore> {
    for (const part of ['conf', 'tmp', 'networks']) await mkdir(join(folder, part), { recursive: true });
    const letGo = await locked(join(folder, 'lock'));
    const environment = { ...process.env, ...(await settings(folder)) };
    const store = new PodmanStore(folder, environment, letGo);
    await store.clear();
    for (const left of await readdir(join(folder, 'tmp')))
      if (/^(project|base)-/.test(left)) await rm(join(folder, 'tmp', left), { recursive: true, force: true });
    return store;
  }

  /** Runs podman. @returns its output @throws Error with its output, where it fails */
  async podman(...args: string[]): Promise<string> {
    return this.run('podman', args);
  }

  async run(
    program: string,
    args: readonly string[],
    options: { cwd?: string; within?: Duration; env?: NodeJS.ProcessEnv } = {},
  ): Promise<string> {
    const { cwd, within, env } = options;
    // Podman must end when this process is killed: the next run removes what it made.
    const { stdout } = await run('setpriv', ['--pdeathsig', 'KILL', '--', program, ...args], {
      env: { ...this.environment, ...env },
      maxBuffer: 64 * 1024 ** 2,
      ...(cwd === undefined ? {} : { cwd }),
      ...(within === undefined ? {} : { timeout: within }),
    });
    return stdout;
  }

  async has(image: string): Promise<boolean> {
    return this.podman('image', 'exists', image).then(
      () => true,
      () => false,
    );
  }

  /** The size of an unpacked image, in megabytes of a million bytes. */
  async megabytes(image: string): Promise<number> {
    return Math.round(Number(await this.podman('image', 'inspect', '--format', '{{.Size}}', image)) / 1e6);
  }

  /** Removes all containers, volumes and networks; images stay. */
  async clear(): Promise<void> {
    await this.podman('rm', '--all', '--force', '--time', '0');
    await this.podman('volume', 'rm', '--all', '--force');
    await this.podman('network', 'prune', '--force');
  }

  async close(): Promise<void> {
    await this.clear();
    this.letGo();
  }
}

/** Locks a file until the lock is released, or until this process dies: `cat` ends with its input. */
async function locked(file: string): Promise<() => void> {
  const holder = spawn('flock', [file, 'sh', '-c', 'echo held; exec cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(holder.stdout, 'data');
  return () => holder.stdin.end();
}

async function settings(folder: string): Promise<NodeJS.ProcessEnv> {
  const conf = (name: string): string => join(folder, 'conf', name);
  await writeFile(
    conf('storage.conf'),
    `[storage]\ndriver = "overlay"\ngraphroot = "${folder}/store"\nrunroot = "${folder}/run"\n`,
  );
  // crun, podman's own choice, fails on hybrid cgroups; systemd may not be there.
  await writeFile(
    conf('containers.conf'),
    `[containers]
log_driver = "k8s-file"
cgroupns = "private"
[network]
network_backend = "netavark"
network_config_dir = "${folder}/networks"
[engine]
cgroup_manager = "cgroupfs"
init_path = "/usr/bin/catatonit"
events_logger = "file"
runtime = "runc"
tmp_dir = "${folder}/tmp"
[engine.runtimes]
runc = ["${BIN}/runc"]
`,
  );
  await writeFile(conf('registries.conf'), 'unqualified-search-registries = ["docker.io"]\nshort-name-mode = "permissive"\n');
  return {
    CONTAINERS_CONF: conf('containers.conf'),
    CONTAINERS_STORAGE_CONF: conf('storage.conf'),
    CONTAINERS_REGISTRIES_CONF: conf('registries.conf'),
  };
}
