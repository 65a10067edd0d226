import type { OutboundAnswer } from '@windlass/outbound';
import type { Ask } from './internet-client.js';
import { found, gone, notFound, unknown, type Seen } from './seen.js';

/** Manifests and lists of them, as Docker and OCI call them. */
const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];

/** Docker Hub's API is not at the name that its images have. */
const API_HOSTS: Readonly<Record<string, string>> = { 'docker.io': 'registry-1.docker.io' };

/** Where the manifest of `registry.example/path/name:tag` is. */
export function manifestUrl(image: string): string {
  const [, host = '', path = '', tag = ''] = /^([^/]+)\/(.+):([^:/]+)$/.exec(image) ?? [];
  return `https://${API_HOSTS[host] ?? host}/v2/${path}/manifests/${tag}`;
}

/** Looks whether a registry gives an image to anybody (OCI distribution, `HEAD` of the manifest: Docker Hub counts it as no pull). */
export async function lookForImage(ask: Ask, image: string): Promise<Seen> {
  const url = manifestUrl(image);
  const head = (more: Record<string, string> = {}) =>
    ask(url, { method: 'HEAD', headers: { accept: MANIFESTS.join(', '), ...more } });
  const first = await head();
  if (first.status !== 401) return seenIn(first);
  const where = tokenUrl(first);
  if (where === undefined) return gone('answered 401, without a way to log in as nobody');
  const answer = await ask(where);
  if (answer.status !== 200) return of(notFound(answer), 'where anonymous tokens are given');
  const token = tokenIn(answer.text);
  if (token === undefined) return unknown('what gives anonymous tokens answered without one');
  return seenIn(await head({ authorization: `Bearer ${token}` }));
}

const of = ({ result, says }: Seen, where: string): Seen => ({ result, says: `${says}, ${where}` });

function seenIn(answer: OutboundAnswer): Seen {
  if (answer.status !== 200) return notFound(answer);
  const { 'content-type': type = '', 'docker-content-digest': digest } = answer.headers;
  if (!MANIFESTS.some((each) => type.startsWith(each))) return unknown('answered 200, but with no manifest: who answers there?');
  return found(digest ?? type);
}

/** Of a challenge such as `Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:library/busybox:pull"`. */
function tokenUrl({ headers }: OutboundAnswer): string | undefined {
  const challenge = headers['www-authenticate'] ?? '';
  if (!/^bearer /i.test(challenge)) return undefined;
  const given = new Map(
    [...challenge.matchAll(/([a-z]{1,20})="([^"]{0,2000})"/gi)].map(([, name = '', value = '']) => [name, value]),
  );
  const realm = given.get('realm') ?? '';
  if (!URL.canParse(realm) || new URL(realm).protocol !== 'https:') return undefined;
  const url = new URL(realm);
  for (const name of ['service', 'scope']) {
    const value = given.get(name);
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url.href;
}

function tokenIn(text: string): string | undefined {
  const { token, access_token: other } = jsonIn(text);
  const given = token ?? other;
  return typeof given === 'string' && /^[\w.~+/=-]+$/.test(given) ? given : undefined;
}

function jsonIn(text: string): { token?: unknown; access_token?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
