import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from './command.js';

/** Where this machine gets Debian from. */
export interface DebianMirror {
  uri: string;
  /** Keyring that its signature is checked with. */
  keyring: string;
  /** The machine's owner trusts it unsigned (`[trusted=yes]`). */
  trusted: boolean;
}

/** One enabled source of binary packages, as `/etc/apt` names it. */
export interface AptSource {
  uris: string[];
  suites: string[];
  components: string[];
  signedBy: string | undefined;
  trusted: boolean;
}

const DEBIAN_KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const PUBLIC_MIRROR = 'http://deb.debian.org/debian';

/** The mirror that this machine is set up to use for a Debian release; Debian's public one when it names none. */
export async function debianMirror(suite: string): Promise<DebianMirror> {
  const sources = await machineSources();
  const usable = sources.filter((source) => source.components.includes('main'));
  const source =
    usable.find(({ suites }) => suites.includes(suite)) ??
    usable.find(({ uris }) => uris.some((uri) => /\/debian\/?$/.test(uri)));
  const uri = source === undefined ? PUBLIC_MIRROR : await resolveUri(source.uris[0] ?? PUBLIC_MIRROR);
  return {
    uri: /^(https?|file):/.test(uri) ? uri.replace(/\/$/, '') : PUBLIC_MIRROR,
    keyring: source?.signedBy?.startsWith('/') === true ? source.signedBy : DEBIAN_KEYRING,
    trusted: source?.trusted ?? false,
  };
}

/** The proxies that apt is configured with, as the variables that other programs read. May hold a password: for the environment only. */
export async function aptProxyEnvironment(): Promise<Record<string, string>> {
  const environment: Record<string, string> = {};
  for (const scheme of ['http', 'https']) {
    const dump = await run('apt-config', ['dump', '--format', '%v%n', `Acquire::${scheme}::Proxy`]);
    const proxy = dump.split('\n')[0]?.trim() ?? '';
    if (proxy !== '' && proxy !== 'DIRECT' && proxy !== 'false') environment[`${scheme}_proxy`] = proxy;
  }
  return environment;
}

/** Sources in the one-line format: `deb [signed-by=/a/key.gpg] http://deb.debian.org/debian bookworm main`. */
export function parseOneLineSources(text: string): AptSource[] {
  const sources: AptSource[] = [];
  for (const line of text.split('\n')) {
    const match = /^\s*deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s*([^#]*)/.exec(line);
    if (match === null) continue;
    const [, options = '', uri = '', suite = '', components = ''] = match;
    const settings = new Map(words(options).map((option) => option.split('=', 2) as [string, string | undefined]));
    sources.push({
      uris: [uri],
      suites: [suite],
      components: words(components),
      signedBy: settings.get('signed-by'),
      trusted: isYes(settings.get('trusted')),
    });
  }
  return sources;
}

/** Sources in the deb822 format of `*.sources` files. */
export function parseDeb822Sources(text: string): AptSource[] {
  const sources: AptSource[] = [];
  for (const stanza of text.split(/\n\s*\n/)) {
    const fields = fieldsOf(stanza);
    const enabled = fields.get('enabled');
    if (!words(fields.get('types') ?? '').includes('deb') || (enabled !== undefined && !isYes(enabled))) continue;
    const signedBy = fields.get('signed-by');
    sources.push({
      uris: words(fields.get('uris') ?? ''),
      suites: words(fields.get('suites') ?? ''),
      components: words(fields.get('components') ?? ''),
      // A key may also stand in the file itself; then Debian's own keyring serves as well.
      signedBy: signedBy?.startsWith('/') === true ? words(signedBy)[0] : undefined,
      trusted: isYes(fields.get('trusted')),
    });
  }
  return sources;
}

async function machineSources(): Promise<AptSource[]> {
  const folder = '/etc/apt/sources.list.d';
  const names = (await readdir(folder).catch(() => [])).sort();
  const main = await readIfThere('/etc/apt/sources.list');
  const further = await Promise.all(
    names.map(async (name) => {
      if (name.endsWith('.list')) return parseOneLineSources(await readIfThere(path.join(folder, name)));
      return name.endsWith('.sources') ? parseDeb822Sources(await readIfThere(path.join(folder, name))) : [];
    }),
  );
  return [...parseOneLineSources(main), ...further.flat()];
}

/** Debian's cloud images name a file with mirrors (`mirror+file:/etc/apt/mirrors/debian.list`) instead of a mirror. */
async function resolveUri(uri: string): Promise<string> {
  const match = /^mirror\+file:(?:\/\/)?(\/.*)$/.exec(uri);
  if (match?.[1] === undefined) return uri;
  const lines = (await readIfThere(match[1])).split('\n').map((line) => line.trim());
  return words(lines.find((line) => line !== '' && !line.startsWith('#')) ?? PUBLIC_MIRROR)[0] ?? PUBLIC_MIRROR;
}

function fieldsOf(stanza: string): Map<string, string> {
  const fields = new Map<string, string>();
  let current = '';
  for (const line of stanza.split('\n')) {
    const match = /^([A-Za-z][\w-]*):\s*(.*)$/.exec(line);
    if (match !== null) {
      current = (match[1] ?? '').toLowerCase();
      fields.set(current, match[2] ?? '');
    } else if (/^\s/.test(line) && current !== '') {
      fields.set(current, `${fields.get(current) ?? ''} ${line.trim()}`);
    }
  }
  return fields;
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
const isYes = (text: string | undefined): boolean => text !== undefined && /^(yes|true|with|on|enable|1)$/i.test(text.trim());
