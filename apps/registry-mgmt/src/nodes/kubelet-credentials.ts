import type { RegistryInput } from '@windlass/driver-kit';
import { isJsonObject, Secret, TerminalError, type Json } from '@windlass/foundation';
import { jsonObjectIn } from './json-object.js';
import { nameOf } from './registry-files.js';

/** The first file in which the kubelet looks for logins to registries, in the format of Docker's client. */
export const KUBELET_CONFIG = '/var/lib/kubelet/config.json';

/** The name under which Docker's clients know Docker Hub. */
const DOCKER_HUB = 'https://index.docker.io/v1/';

/** The key of the entry of a registry, or of a project: of several that fit an image the kubelet takes the longest first. */
const entryOf = (name: string): string => (name === 'docker.io' ? DOCKER_HUB : name);

/** User and password as an entry has them; undefined where nobody logs in. */
export const credentialOf = ({ username, password }: RegistryInput): Secret | undefined =>
  username === undefined || password === undefined
    ? undefined
    : new Secret(Buffer.from(`${username}:${String(password)}`).toString('base64'));

const ESCAPED: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\v': '\\v',
};

/** User and password as a line of curl's configuration (its manual, "--config"); undefined where nobody logs in. */
export const curlLoginOf = ({ username, password }: RegistryInput): Secret | undefined =>
  username === undefined || password === undefined
    ? undefined
    : new Secret(`user = "${`${username}:${String(password)}`.replaceAll(/[\\"\t\n\r\v]/g, (each) => ESCAPED[each] ?? '')}"\n`);

/**
 * The kubelet's file with the registries' credentials. Entries of other names stay; entries of `known` names without a login are removed. Undefined
 * where the file would be empty.
 * @param before the present file
 * @throws TerminalError `node.credentials-unreadable`
 */
export function credentialsFile(
  before: string | undefined,
  registries: readonly RegistryInput[],
  known: readonly string[],
): Secret | undefined {
  const { auths = {}, ...rest } = before === undefined ? {} : jsonObjectIn(before, unreadable);
  if (!isJsonObject(auths)) throw unreadable();
  const ours = new Set([...known, ...registries.map(nameOf)].map(entryOf));
  const others = Object.entries(auths).filter(([entry]) => !ours.has(entry));
  const wanted = registries.flatMap((registry): [string, Json][] => {
    const credential = credentialOf(registry);
    return credential === undefined ? [] : [[entryOf(nameOf(registry)), { auth: credential.reveal() }]];
  });
  const entries = [...others, ...wanted];
  if (entries.length === 0 && Object.keys(rest).length === 0) return undefined;
  return new Secret(`${JSON.stringify({ ...rest, auths: Object.fromEntries(entries) }, null, 2)}\n`);
}

const unreadable = (): TerminalError =>
  new TerminalError(
    'node.credentials-unreadable',
    `${KUBELET_CONFIG} is there and is no configuration of Docker's ({"auths": {...}}): correct it, or take it away, then retry the operation`,
  );
