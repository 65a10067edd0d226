import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import { endedWith, freePort, onFreePort } from '@windlass/foundation/testing';
import { MANIFEST_TYPE, type ImageContent } from '@windlass/lab';

/** Options of a registry; by default it serves plain HTTP without a login. */
export interface RegistryOptions {
  /** The address to listen on. */
  host: string;
  /** The folder of images, which registries may share. */
  storage: string;
  tls?: { certificate: string; key: string };
  /** A line of htpasswd with a bcrypt hash. */
  htpasswd?: string;
}

/** Debian's docker-registry, as a process of the test. */
export class DockerRegistry {
  private constructor(
    readonly port: number,
    private readonly url: string,
    private readonly process: ChildProcess,
  ) {}

  static start(folder: string, options: RegistryOptions): Promise<DockerRegistry> {
    return onFreePort(
      () => freePort(options.host),
      (port) => DockerRegistry.#startOn(port, folder, options),
    );
  }

  static async #startOn(
    port: number,
    folder: string,
    { host, storage, tls, htpasswd }: RegistryOptions,
  ): Promise<DockerRegistry> {
    mkdirSync(folder, { recursive: true });
    if (htpasswd !== undefined) writeFileSync(join(folder, 'htpasswd'), `${htpasswd}\n`);
    const config = {
      version: '0.1',
      log: { level: 'error', accesslog: { disabled: true } },
      storage: { filesystem: { rootdirectory: storage } },
      http: { addr: `${host}:${port}`, secret: 'of-the-test', ...(tls === undefined ? {} : { tls }) },
      ...(htpasswd === undefined ? {} : { auth: { htpasswd: { realm: 'test', path: join(folder, 'htpasswd') } } }),
    };
    // JSON is valid YAML.
    writeFileSync(join(folder, 'config.yml'), JSON.stringify(config));
    const child = spawn('docker-registry', ['serve', join(folder, 'config.yml')], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env.PATH, OTEL_TRACES_EXPORTER: 'none' },
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await waitUntil(
      () => {
        if (child.exitCode !== null) throw endedWith('docker-registry', said);
        return answers(host, port);
      },
      { for: 'docker-registry to listen', within: seconds(60), every: millis(50) },
    );
    return new DockerRegistry(port, `http://${host}:${port}`, child);
  }

  /** Pushes an image over HTTP. */
  async push(repository: string, tag: string, { manifest, blobs }: ImageContent): Promise<void> {
    for (const [digest, content] of blobs) {
      const begun = await this.#ask(`/v2/${repository}/blobs/uploads/`, { method: 'POST' });
      const upload = new URL(begun.headers.get('location') ?? '', this.url);
      upload.searchParams.set('digest', digest);
      const headers = { 'content-type': 'application/octet-stream' };
      await this.#ask(upload.pathname + upload.search, { method: 'PUT', headers, body: new Uint8Array(content) });
    }
    const headers = { 'content-type': MANIFEST_TYPE };
    await this.#ask(`/v2/${repository}/manifests/${tag}`, { method: 'PUT', headers, body: new Uint8Array(manifest) });
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null) return;
    const ended = once(this.process, 'exit');
    this.process.kill();
    await ended;
  }

  async #ask(path: string, init: RequestInit): Promise<Response> {
    const answer = await fetch(`${this.url}${path}`, init);
    if (!answer.ok) throw new Error(`${init.method ?? 'GET'} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }
}

function answers(host: string, port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const socket = net.connect(port, host, () => resolve(true));
    socket.once('error', () => resolve(undefined));
    socket.once('close', () => resolve(undefined));
    socket.setTimeout(1_000, () => socket.destroy());
    socket.once('connect', () => socket.end());
  });
}
