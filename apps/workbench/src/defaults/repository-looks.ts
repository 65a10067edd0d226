import type { Ask } from './internet-client.js';
import { keyFingerprints } from './key-fingerprints.js';
import { found, gone, notFound, unknown, type Seen } from './seen.js';

/** Looks whether a flat apt repository is there, by its signed index. */
export async function lookForRepository(ask: Ask, url: string): Promise<Seen> {
  const answer = await ask(url);
  if (answer.status !== 200) return notFound(answer);
  if (!answer.text.startsWith('-----BEGIN PGP SIGNED MESSAGE-----'))
    return unknown('answered 200, but with no signed index: who answers there?');
  return found('its signed index');
}

/** Looks whether a repository's index lists that version of a package, whatever its revision. */
export async function lookForPackage(ask: Ask, url: string, name: string, version: string): Promise<Seen> {
  const answer = await ask(url);
  if (answer.status !== 200) return notFound(answer);
  const stanzas = answer.text.split('\n\n').filter((stanza) => stanza.split('\n').includes(`Package: ${name}`));
  const versions = stanzas.flatMap((stanza) => /^Version: (.+)$/m.exec(stanza)?.[1] ?? []);
  if (versions.length === 0) return unknown(`answered 200, but lists no ${name}: who answers there?`);
  const [one] = versions.filter((each) => each.startsWith(`${version}-`));
  return one === undefined
    ? gone(`${name} ${version} is not among the ${versions.length} that are listed`)
    : found(`${name} ${one}`);
}

/** Looks whether there are manifests with a DaemonSet of that name. */
export async function lookForManifest(ask: Ask, url: string, daemonSet: string): Promise<Seen> {
  const answer = await ask(url);
  if (answer.status !== 200) return notFound(answer);
  const documents = answer.text.split(/^---$/m).filter((text) => /^kind: DaemonSet$/m.test(text));
  const has = documents.some((text) => text.split('\n').includes(`  name: ${daemonSet}`));
  return has ? found(`DaemonSet ${daemonSet}`) : unknown(`answered 200, but has no DaemonSet ${daemonSet}: who answers there?`);
}

/** Looks whether the one primary key there is that with the fingerprint: nodes trust no other. */
export async function lookForKey(ask: Ask, url: string, fingerprint: string): Promise<Seen> {
  const answer = await ask(url);
  if (answer.status !== 200) return notFound(answer);
  const there = fingerprintsIn(answer.text);
  if (typeof there === 'string') return unknown(`answered 200, but with no key (${there}): who answers there?`);
  return there.join(' ') === fingerprint ? found(`the key ${fingerprint}`) : gone(`the key there is ${there.join(' ')}`);
}

function fingerprintsIn(text: string): string[] | string {
  try {
    const there = keyFingerprints(text);
    return there.length === 0 ? 'none in it' : there;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}
