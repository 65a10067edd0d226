import { INTERNET, PAUSE_TAGS } from '@windlass/k8s-mgmt';
import { seconds } from '@windlass/foundation';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkDefaultsCommand } from '../commands/check-defaults.js';
import { checkDefaults, exitStatus, reportText, type Checked } from './check-defaults.js';
import { lookForImage } from './image-look.js';
import { InternetClient } from './internet-client.js';
import { defaultLooks, type Look } from './looks.js';
import { lookForKey, lookForManifest, lookForPackage, lookForRepository } from './repository-looks.js';
import { BOTH_KEYS, ED25519_KEY, RSA_KEY } from './testing/keys.js';
import {
  openRegistry,
  packages,
  redirectingRegistry,
  SIGNED,
  StandInInternet,
  tokenRegistry,
  type Host,
} from './testing/stand-in-internet.js';

let internet: StandInInternet;
afterEach(() => internet.close());

const start = async (hosts: Record<string, Host>): Promise<void> => {
  internet = await StandInInternet.start(hosts);
};

/** What a look says, whatever it meets. */
async function seen(look: Look['look'], within = seconds(10)): Promise<Checked> {
  const client = new InternetClient(internet.options);
  const { checked } = await checkDefaults([{ of: 'it', address: 'there', look }], client, { within, today: '2026-11-26' });
  return checked[0]!;
}

describe('an image', () => {
  const has = (path: string): boolean => path === '/v2/library/busybox/manifests/1.36';
  const at = (name: string): Promise<Checked> => seen((ask) => lookForImage(ask, name));

  it.each([
    ['docker.io', 'whose tokens are elsewhere', tokenRegistry('registry-1.docker.io', 'auth.docker.io/token', has)],
    ['ghcr.io', 'which gives tokens itself', tokenRegistry('ghcr.io', 'ghcr.io/token', has)],
    ['registry.k8s.io', 'which leads elsewhere', redirectingRegistry('registry.k8s.io', 'europe.pkg.example', has)],
    ['quay.io', 'which wants no token', openRegistry('quay.io', has)],
  ])('is found at %s, %s, and gone where it is not', async (host, _how, hosts) => {
    await start(hosts);
    expect(await at(`${host}/library/busybox:1.36`)).toMatchObject({ result: 'found', says: `sha256:${'a'.repeat(64)}` });
    expect(await at(`${host}/library/busybox:1.37`)).toMatchObject({ result: 'gone', says: 'answered 404' });
    // A GET of a manifest counts as a pull at Docker Hub.
    expect(internet.asked.filter((each) => each.includes('/manifests/') && !each.startsWith('HEAD '))).toEqual([]);
  });

  it('is gone where nobody gets it without a login', async () => {
    const challenge = { 'www-authenticate': 'Bearer realm="https://ghcr.io/token",service="ghcr.io"' };
    await start({ 'ghcr.io': ({ pathname }) => (pathname === '/token' ? { status: 403 } : { status: 401, headers: challenge }) });
    const says = 'answered 403, where anonymous tokens are given';
    expect(await at('ghcr.io/a/b:1')).toMatchObject({ result: 'gone', says });
  });

  it.each([
    ['too many requests', { status: 429 }, 'answered 429'],
    ['an error of the server', { status: 503 }, 'answered 503'],
    ['a page that a proxy shows', { headers: { 'content-type': 'text/html' } }, 'who answers there?'],
    ['a redirect away from TLS', { status: 302, headers: { location: 'http://one.example/' } }, 'to no https address'],
    ['a redirect without end', { status: 302, headers: { location: '/v2/a/b/manifests/1' } }, 'after 5 others'],
    ['a host that nobody knows', { status: 302, headers: { location: 'https://two.example/' } }, 'the host name is not known'],
    ['silence', 'never', 'no whole answer within 0.3 s'],
  ] as const)('is not judged by %s', async (_what, answer, says) => {
    await start({ 'one.example': () => answer });
    const row = await seen((ask) => lookForImage(ask, 'one.example/a/b:1'), seconds(0.3));
    expect(row).toMatchObject({ result: 'unknown', says: expect.stringContaining(says) as string });
  });

  it('is not asked for elsewhere with the token of the registry', async () => {
    const got: unknown[] = [];
    await start({
      'one.example': ({ pathname }, { headers }) => {
        if (pathname === '/token') return { body: JSON.stringify({ access_token: 'abc' }) };
        if (headers.authorization === 'Bearer abc') return { status: 307, headers: { location: 'https://two.example/blob' } };
        return { status: 401, headers: { 'www-authenticate': 'Bearer realm="https://one.example/token"' } };
      },
      'two.example': (_url, { headers }) => {
        got.push(headers.authorization);
        return undefined;
      },
    });
    expect(await at('one.example/a/b:1')).toMatchObject({ result: 'gone' });
    expect(got).toEqual([undefined]);
  });

  it('is not asked for with a token that breaks a header', async () => {
    const challenge = { 'www-authenticate': 'Bearer realm="https://one.example/token"' };
    const token = { body: JSON.stringify({ token: 'a\r\nX-Other: b' }) };
    await start({ 'one.example': ({ pathname }) => (pathname === '/token' ? token : { status: 401, headers: challenge }) });
    expect(await at('one.example/a/b:1')).toMatchObject({ result: 'unknown' });
  });
});

describe('a repository of packages', () => {
  const key = (text: string): Promise<void> =>
    start(
      packages('pkgs.k8s.io', 'cdn.example', { '/deb/InRelease': SIGNED, '/deb/Release.key': text, '/deb/Packages': LISTED }),
    );
  const LISTED = ['1.34.0-1.1', '1.34.1-2.1', '1.34.10-1.1'].map((v) => `Package: kubeadm\nVersion: ${v}\nSize: 1\n`).join('\n');

  it('is found by its signed index, and gone where its host has none', async () => {
    await key('');
    expect(await seen((ask) => lookForRepository(ask, 'https://pkgs.k8s.io/deb/InRelease'))).toMatchObject({ result: 'found' });
    const other = await seen((ask) => lookForRepository(ask, 'https://pkgs.k8s.io/v9/InRelease'));
    expect(other).toMatchObject({ result: 'gone', says: 'answered 403' });
    const page = await seen((ask) => lookForRepository(ask, 'https://pkgs.k8s.io/deb/Packages'));
    expect(page).toMatchObject({ result: 'unknown' });
  });

  it('has a version whatever its revision, and not one that only begins with it', async () => {
    await key('');
    const version = (wanted: string): Promise<Checked> =>
      seen((ask) => lookForPackage(ask, 'https://pkgs.k8s.io/deb/Packages', 'kubeadm', wanted));
    expect(await version('1.34.1')).toMatchObject({ result: 'found', says: 'kubeadm 1.34.1-2.1' });
    expect(await version('1.34.2')).toMatchObject({ result: 'gone' });
    const none = await seen((ask) => lookForPackage(ask, 'https://pkgs.k8s.io/deb/InRelease', 'kubeadm', '1.34.1'));
    expect(none).toMatchObject({ result: 'unknown' });
  });

  it.each([
    ['found with its one key', RSA_KEY.armored, 'found'],
    ['gone with another key', ED25519_KEY.armored, 'gone'],
    ['gone with another key beside it: nodes do not trust that', BOTH_KEYS, 'gone'],
    ['not judged by a page', '<html></html>', 'unknown'],
    ['not judged by more than 4 MiB', 'x'.repeat(5 << 20), 'unknown'],
  ] as const)('is %s', async (_what, text, result) => {
    await key(text);
    const row = await seen((ask) => lookForKey(ask, 'https://pkgs.k8s.io/deb/Release.key', RSA_KEY.fingerprint));
    expect(row.result, row.says).toBe(result);
  });
});

const CALICO =
  'kind: ServiceAccount\nmetadata:\n  name: calico-node\n---\nkind: DaemonSet\napiVersion: apps/v1\nmetadata:\n  name: calico-node\n';

describe('a manifest', () => {
  it('is found by its DaemonSet, gone where its host has none, and not judged by another file', async () => {
    const of = (path: string): Promise<Checked> =>
      seen((ask) => lookForManifest(ask, `https://raw.example/${path}`, 'calico-node'));
    const files: Record<string, string> = {
      '/calico.yaml': CALICO,
      '/other.yaml': CALICO.replace('kind: DaemonSet', 'kind: Role'),
    };
    await start({ 'raw.example': ({ pathname }) => (files[pathname] === undefined ? undefined : { body: files[pathname] }) });
    expect(await of('calico.yaml')).toMatchObject({ result: 'found' });
    expect(await of('none.yaml')).toMatchObject({ result: 'gone', says: 'answered 404' });
    expect(await of('other.yaml')).toMatchObject({ result: 'unknown' });
  });
});

describe('check-defaults', () => {
  const run = async (...argv: string[]): Promise<{ text: string; status: typeof process.exitCode }> => {
    const before = process.exitCode;
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    try {
      await checkDefaultsCommand(internet.options).parseAsync(argv, { from: 'user' });
      return { text: write.mock.calls.map(([chunk]) => String(chunk)).join(''), status: process.exitCode };
    } finally {
      write.mockRestore();
      process.exitCode = before;
    }
  };
  const today = new Date().toISOString().slice(0, 10);
  const everything = (): boolean => true;
  /** An internet with all that is asked for; both hosts of keys have one that is not theirs. */
  const all = (): Record<string, Host> => ({
    ...tokenRegistry('registry-1.docker.io', 'auth.docker.io/token', everything),
    ...tokenRegistry('ghcr.io', 'ghcr.io/token', everything),
    ...redirectingRegistry('registry.k8s.io', 'europe.pkg.example', everything),
  });

  it('looks for every default of the file', () => {
    const names = [...new Set(defaultLooks().map(({ of }) => of))];
    expect(names).toEqual([...Object.keys(INTERNET), ...Object.keys(PAUSE_TAGS).map((minor) => `PAUSE_TAGS['${minor}']`)]);
    return start({});
  });

  it('says without a network that nothing can be reached, not that it is gone, and ends with 2', async () => {
    await start({});
    const { text, status } = await run();
    expect(status).toBe(2);
    expect(text).toContain(`0 found, 0 gone, ${defaultLooks().length} not known\n`);
    for (const { address } of defaultLooks())
      expect(text).toContain(`${address} could not be reached: the host name is not known`);
    expect(text).not.toContain('lastSeen');
  });

  it('has the day for what was found whole, and ends with 2 where something was not reached', async () => {
    await start(all());
    const { text, status } = await run('--json', '--within', '5');
    const report = JSON.parse(text) as { checked: Checked[]; lastSeen: Record<string, string> };
    expect(status).toBe(2);
    const found = ['imageRepository', 'flannelImage', 'flannelPluginImage', 'verificationImage'];
    const tags = Object.keys(PAUSE_TAGS).map((minor) => `PAUSE_TAGS['${minor}']`);
    // The version's image was there; its packages were not reached.
    expect(report.lastSeen).toEqual(Object.fromEntries([...found, ...tags].map((name) => [name, today])));
  });

  it('ends with 1 where one is gone, whatever else was not reached', async () => {
    await start({ ...all(), ...tokenRegistry('ghcr.io', 'ghcr.io/token', (path) => !path.includes('cni-plugin')) });
    const { text, status } = await run();
    expect(status).toBe(1);
    expect(text).toMatch(
      /^gone {5}flannelPluginImage +https:\/\/ghcr\.io\/v2\/flannel-io\/flannel-cni-plugin\/manifests\/\S+\n +answered 404$/m,
    );
    expect(text).toMatch(new RegExp(`^ {2}flannelImage +lastSeen: '${today}'$`, 'm'));
    expect(text).not.toMatch(/^ {2}flannelPluginImage/m);
  });

  it('ends with 0 where all were found', async () => {
    const minors = Object.keys(PAUSE_TAGS).map((minor) => `/core:/stable:/v${minor}/deb/`);
    const listed = `Package: kubeadm\nVersion: ${INTERNET.kubernetesVersion.value}-1.1\n`;
    const index = Object.fromEntries(minors.flatMap((path) => [[`${path}InRelease`, SIGNED], [`${path}Packages`, listed]])); // prettier-ignore
    const manifests = { 'raw.githubusercontent.com': () => ({ body: CALICO }) };
    await start({ ...all(), ...manifests, ...packages('pkgs.k8s.io', 'cdn.example', index) });
    const client = new InternetClient(internet.options);
    // Nobody here has the keys of the internet.
    const looks = defaultLooks().filter(({ of }) => !of.endsWith('Fingerprint'));
    const report = await checkDefaults(looks, client, { within: seconds(10), today });
    expect(exitStatus(report), reportText(report)).toBe(0);
    expect(Object.keys(report.lastSeen)).toHaveLength(new Set(looks.map(({ of }) => of)).size);
  });
});
