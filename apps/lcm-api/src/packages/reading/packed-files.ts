import type { PackageFile, PackedVolumes } from '@windlass/mgmt-driver';
import { packagedVolumes, type Csar } from '@windlass/vnf-package';

/** Larger members are no scripts, and none of their lines is read. */
const TEXT_BYTES = 1024 * 1024;
const FIRST_LINE_BYTES = 4_096;
const HOSTS = 50;

/** Hosts of all scripts of a package together. */
const ALL_HOSTS = 5_000;

/** PersistentVolumes of a file, and of all files of a package together. */
const VOLUMES = 100;
const ALL_VOLUMES = 5_000;
const FAULT_CHARACTERS = 300;

/** A line of YAML; claims are another kind. */
const OF_VOLUMES = /^[ \t]*["']?kind["']?[ \t]*:[ \t]*["']?PersistentVolume["']?[ \t\r]*(#.*)?$/m;

/** Every file of a package with its size, SHA-256, first line, the hosts that scripts name, and PersistentVolumes: for drivers and checks. */
export async function packedFiles(csar: Csar): Promise<PackageFile[]> {
  const files: PackageFile[] = [];
  let hosts = 0;
  let volumes = 0;
  for (const { name, size } of csar.members) {
    const { sha256 } = await csar.digestMember(name, ['sha256']);
    const lines = size <= TEXT_BYTES ? await linesOf(csar, name, ALL_HOSTS - hosts) : { firstLine: '' };
    hosts += lines.hosts?.length ?? 0;
    const persistentVolumes = size <= TEXT_BYTES && volumes < ALL_VOLUMES ? await volumesOf(csar, name) : undefined;
    volumes += persistentVolumes === undefined ? 0 : persistentVolumes.volumes.length + 1;
    files.push({ path: name, size, sha256, ...lines, ...(persistentVolumes === undefined ? {} : { persistentVolumes }) });
  }
  return files;
}

async function linesOf(csar: Csar, name: string, most: number): Promise<Pick<PackageFile, 'firstLine' | 'hosts'>> {
  const head = await headOf(csar, name);
  const [first = '', second = ''] = head.toString('utf8').split('\n', 2);
  const line = first.startsWith('#!') ? second : first;
  const firstLine = isBinary(line)
    ? ''
    : line
        .trim()
        .slice(0, 200)
        .replace(/[\ud800-\udbff]$/, '');
  if (!first.startsWith('#!') && !name.endsWith('.sh')) return { firstLine };
  const hosts = hostsIn((await csar.readMember(name, TEXT_BYTES)).toString('utf8'));
  return { firstLine, ...(hosts.length === 0 ? {} : { hosts: hosts.slice(0, most) }) };
}

/** The PersistentVolumes of a YAML file that has any, or seems to. */
async function volumesOf(csar: Csar, name: string): Promise<PackedVolumes | undefined> {
  if (!/\.ya?ml$/.test(name)) return undefined;
  const text = (await csar.readMember(name, TEXT_BYTES)).toString('utf8');
  if (!OF_VOLUMES.test(text)) return undefined;
  const { volumes, fault } = packagedVolumes(text, name);
  if (volumes.length > VOLUMES) return undefined;
  const told = volumes.map(({ name: called, path }) => ({ name: called, path }));
  return {
    volumes: told,
    ...(fault === undefined ? {} : { fault: fault.slice(0, FAULT_CHARACTERS).replace(/[\ud800-\udbff]$/, '') }),
  };
}

async function headOf(csar: Csar, name: string): Promise<Buffer> {
  let head = Buffer.alloc(0);
  for await (const part of csar.openMember(name)) {
    head = Buffer.concat([head, part as Buffer]);
    if (head.length >= FIRST_LINE_BYTES) break;
  }
  return head;
}

/** A host: a name of two labels after `//`, or of three anywhere. A name with fewer is more likely a file. */
const HOST = /\/\/(?:[^\s/@"']*@)?([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+)|\b([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){2,})\b/gi;

/** The hosts that the lines of a script name, but for its comments. */
export function hostsIn(script: string): string[] {
  const lines = script.split('\n').filter((line) => !/^\s*#/.test(line));
  const found = new Set<string>();
  for (const line of lines) {
    for (const [, inUrl, bare] of line.matchAll(HOST)) {
      const name = (inUrl ?? bare ?? '').toLowerCase();
      if (/\.[a-z]{2,63}$/.test(name)) found.add(name);
    }
  }
  return [...found].slice(0, HOSTS);
}

/** Control characters or bytes that are no UTF-8: no line of a text. */
const isBinary = (line: string): boolean =>
  Buffer.from(line).some((byte) => byte < 0x20 && byte !== 0x09 && byte !== 0x0d) || line.includes('\u{fffd}');
