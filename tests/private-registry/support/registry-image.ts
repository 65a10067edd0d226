import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { REGISTRY_ENTRYPOINT, registryTree } from '@windlass/lab';

/**
 * An archive like `docker save` makes of the image `registry:2`, with Debian's docker-registry and its libraries.
 * @param repositoryUrl the lab's package repository
 */
export async function registryArchive(repositoryUrl: string): Promise<Buffer> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'windlass-registry-image-'));
  try {
    const deb = path.join(folder, 'registry.deb');
    writeFileSync(deb, await fetchDeb(repositoryUrl, 'docker-registry'));
    return archiveOf(folder, await registryTree(deb));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function archiveOf(folder: string, layer: Buffer): Buffer {
  const digest = createHash('sha256').update(layer).digest('hex');
  const image = path.join(folder, 'image');
  mkdirSync(image);
  writeFileSync(path.join(image, 'layer.tar'), layer);
  const config = {
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    os: 'linux',
    config: { Entrypoint: REGISTRY_ENTRYPOINT },
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
