import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { removeFolder } from '../../debian/cache.js';
import { run } from '../../debian/command.js';
import type { Download } from '../download.js';
import type { Part } from '../parts.js';

/** The manner in which a mirror answers. */
export type Manner = 'well' | 'cut-off' | 'another-file' | 'login-page' | 'refusal';

/** A project's download site on loopback, with the archive of one program. */
export class Mirror {
  readonly asked: string[] = [];
  manner: Manner = 'well';

  private constructor(
    private readonly server: Server,
    readonly home: string,
    private readonly archive: Buffer,
  ) {}

  static async start(): Promise<Mirror> {
    const home = await mkdtemp(path.join(os.tmpdir(), 'windlass-mirror-'));
    await mkdir(path.join(home, 'release-1'));
    await writeFile(path.join(home, 'release-1/tool'), 'the official one\n');
    await run('tar', ['-C', home, '-czf', path.join(home, 'release.tar.gz'), 'release-1']);
    const archive = await readFile(path.join(home, 'release.tar.gz'));
    const server = createServer();
    const mirror = new Mirror(server, home, archive);
    server.on('request', (request, response) => {
      mirror.asked.push(request.url ?? '');
      const { manner } = mirror;
      if (manner === 'refusal') response.writeHead(403).end('no');
      else if (manner === 'login-page') response.writeHead(200).end('<html>Please sign in</html>');
      else if (manner === 'another-file') response.writeHead(200).end(Buffer.concat([archive, Buffer.from('more')]));
      else if (manner === 'well') response.writeHead(200, { 'content-length': archive.length }).end(archive);
      else {
        response.writeHead(200, { 'content-length': archive.length });
        response.write(archive.subarray(0, archive.length / 2), () => response.destroy());
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return mirror;
  }

  /** The archive's entry in a table of downloads. */
  download(): Download {
    return {
      url: `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/release.tar.gz`,
      digest: { algorithm: 'sha256', hex: createHash('sha256').update(this.archive).digest('hex') },
      programs: { 'release-1/tool': 'v1/tool' },
    };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    if (this.server.listening) await new Promise((resolve) => this.server.close(resolve));
  }

  async end(): Promise<void> {
    await this.stop();
    await removeFolder(this.home);
  }
}

/** A part of one program, with a go.mod and nothing to build. */
export async function partOf(home: string, downloads: readonly Download[]): Promise<Part> {
  const module = path.join(home, 'module');
  await mkdir(module, { recursive: true });
  await writeFile(path.join(module, 'go.mod'), 'module windlass/test\n');
  return { name: 'tool', title: 'the tool 1', module, programs: [{ to: 'v1/tool', package: '.' }], downloads };
}

/**
 * Writes a program in the place of Go. It notes that it ran, runs `first`, and writes the file of `-o`.
 * @param first a script that runs before the build
 */
export async function fakeGo(home: string, first = ''): Promise<{ file: string; version: string }> {
  const file = path.join(home, 'go');
  const script = `#!/bin/sh
if [ "$1" = env ]; then echo ${home}; exit; fi
while [ "$1" != -o ]; do shift; done
echo $$ >> ${home}/built
${first}
echo built > "$2"
`;
  await writeFile(file, script, { mode: 0o755 });
  return { file, version: 'go1.99' };
}
