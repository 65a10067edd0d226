import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const CONFIG = `version: 0.1
storage: { filesystem: { rootdirectory: /var/lib/registry } }
http: { addr: ":5000" }
`;

/**
 * What `docker save` would make of an image `registry:2`: Debian's own docker-registry, with the libraries that it is linked to.
 * @param repositoryUrl the lab's package repository
 */
export async function registryArchive(repositoryUrl: string): Promise<Buffer> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'windlass-registry-image-'));
  try {
    const rootfs = path.join(folder, 'rootfs');
    const deb = path.join(folder, 'registry.deb');
    writeFileSync(deb, await fetchDeb(repositoryUrl, 'docker-registry'));
    execFileSync('dpkg-deb', ['--extract', deb, rootfs]);
    const program = path.join(rootfs, 'usr/bin/docker-registry');
    for (const [, library = ''] of execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/(\/lib\S+)/g)) {
      mkdirSync(path.join(rootfs, path.dirname(library)), { recursive: true });
      cpSync(library, path.join(rootfs, library), { dereference: true });
    }
    for (const name of ['tmp', 'var/lib/registry']) mkdirSync(path.join(rootfs, name), { recursive: true });
    writeFileSync(path.join(rootfs, 'registry.yml'), CONFIG);
    return archiveOf(folder, rootfs);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function archiveOf(folder: string, rootfs: string): Buffer {
  const layer = path.join(folder, 'layer.tar');
  execFileSync('tar', ['--create', '--owner=0', '--group=0', '--file', layer, '--directory', rootfs, '.']);
  const digest = createHash('sha256').update(readFileSync(layer)).digest('hex');
  const image = path.join(folder, 'image');
  mkdirSync(image);
  renameSync(layer, path.join(image, 'layer.tar'));
  const config = {
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    os: 'linux',
    config: { Entrypoint: ['/usr/bin/docker-registry', 'serve', '/registry.yml'] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
  };
  writeFileSync(path.join(image, 'config.json'), JSON.stringify(config));
  const manifest = [{ Config: 'config.json', RepoTags: ['registry:2'], Layers: ['layer.tar'] }];
  writeFileSync(path.join(image, 'manifest.json'), JSON.stringify(manifest));
  const whole = path.join(folder, 'image.tar');
  execFileSync('tar', ['--create', '--file', whole, '--directory', image, '.']);
  return readFileSync(whole);
}

async function fetchDeb(repositoryUrl: string, name: string): Promise<Buffer> {
  const packages = await (await fetch(`${repositoryUrl}/Packages`)).text();
  const entry = packages.split('\n\n').find((each) => each.includes(`Package: ${name}\n`)) ?? '';
  const file = /^Filename: (\S+)$/m.exec(entry)?.[1];
  if (file === undefined) throw new Error(`the lab's repository has no ${name}`);
  return Buffer.from(await (await fetch(`${repositoryUrl}/${file}`)).arrayBuffer());
}
