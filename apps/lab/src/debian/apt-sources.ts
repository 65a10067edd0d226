import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { TerminalError } from '@windlass/foundation';
import { run } from './command.js';
import { givenMirror, MIRROR_VARIABLE } from './config.js';

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
/** Asks a person, or whoever may know, where this machine gets a Debian release from; undefined where nobody answers. */
export type AskMirror = (suite: string) => Promise<string | undefined>;

const MIRROR_URI = /^(https?|file):\/\/?\S+$/;

/**
 * The mirror that this machine's apt is set up to use for a Debian release; where it names none, the one that is given or asked for.
 * @param apt the folder of apt's configuration
 * @throws TerminalError `lab.no-mirror` where there is none
 */
export async function debianMirror(
  suite: string,
  ask: AskMirror = () => Promise.resolve(undefined),
  apt = '/etc/apt',
): Promise<DebianMirror> {
  const usable = (await machineSources(apt)).filter((source) => source.components.includes('main'));
  const source =
    usable.find(({ suites }) => suites.includes(suite)) ??
    usable.find(({ uris }) => uris.some((uri) => /\/debian\/?$/.test(uri)));
  const named = source?.uris[0] === undefined ? undefined : await resolveUri(source.uris[0]);
  const ofApt = named !== undefined && MIRROR_URI.test(named);
  const uri = ofApt ? named : (givenMirror() ?? (await ask(suite)))?.trim();
  if (uri === undefined || !MIRROR_URI.test(uri)) {
    throw new TerminalError(
      'lab.no-mirror',
      `apt on this machine names no mirror of Debian ${suite}${uri === undefined ? '' : `, and "${uri}" is no URL of one`}: add one to ${apt}/sources.list, or set ${MIRROR_VARIABLE} to its URL`,
    );
  }
  return {
    uri: uri.replace(/\/$/, ''),
    keyring: source?.signedBy?.startsWith('/') === true ? source.signedBy : DEBIAN_KEYRING,
    trusted: ofApt && source?.trusted === true,
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

/** Sources in the one-line format: `deb [signed-by=/a/key.gpg] http://mirror.example/debian bookworm main`. */
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

async function machineSources(apt: string): Promise<AptSource[]> {
  const folder = path.join(apt, 'sources.list.d');
  const names = (await readdir(folder).catch(() => [])).sort();
  const main = await readIfThere(path.join(apt, 'sources.list'));
  const further = await Promise.all(
    names.map(async (name) => {
      if (name.endsWith('.list')) return parseOneLineSources(await readIfThere(path.join(folder, name)));
      return name.endsWith('.sources') ? parseDeb822Sources(await readIfThere(path.join(folder, name))) : [];
    }),
  );
  return [...parseOneLineSources(main), ...further.flat()];
}

/** Debian's cloud images name a file with mirrors (`mirror+file:/etc/apt/mirrors/debian.list`) instead of a mirror. */
async function resolveUri(uri: string): Promise<string | undefined> {
  const match = /^mirror\+file:(?:\/\/)?(\/.*)$/.exec(uri);
  if (match?.[1] === undefined) return uri;
  const lines = (await readIfThere(match[1])).split('\n').map((line) => line.trim());
  return words(lines.find((line) => line !== '' && !line.startsWith('#')) ?? '')[0];
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
