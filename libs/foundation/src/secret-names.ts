/**
 * Whether a member of this name holds a secret: names tell it by their words, in any spelling (`apiKey`, `api-key`, `API_KEY`, `apikey`).
 * In doubt it does, unless the name says that it is about a secret (`token_ttl`, `keyPairName`) or public (`ssh_public_key`).
 */
export function isSecretName(name: string): boolean {
  const known = decided.get(name);
  if (known !== undefined) return known;
  const answer = decide(name);
  if (name.length <= MAX_NAME_LENGTH) {
    if (decided.size >= MAX_KNOWN) decided.clear();
    decided.set(name, answer);
  }
  return answer;
}

/** Answers are full of the same few hundred names. Strangers' names are among them, so it is bounded. */
const decided = new Map<string, boolean>();
const MAX_KNOWN = 2_000;

function decide(name: string): boolean {
  const words = wordsOf(name.slice(0, MAX_NAME_LENGTH)).filter((word) => !CARRIERS.has(word));
  const last = words.at(-1);
  if (last === undefined || ABOUT.has(last) || (IDS.has(last) && !words.includes('secret'))) return false;
  return words.some((word) => isSecretWord(word)) || endsInKey(words, last);
}

/** Longer names are no names; what they begin with tells enough. */
const MAX_NAME_LENGTH = 256;

/** `sshPrivateKey2`, `ssh-private.key` and `SSHPrivateKey` are ssh, private, key. */
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '');

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** How a secret is carried; it is one all the same: `tokenValue`, `client-key-data`, `keyPem`. */
const CARRIERS = set('value values data text string pem base b hex file content contents raw plain plaintext encoded');

/** A name that ends so is about a secret and holds none. */
const ABOUT = set(
  [
    'name names username user users path url uri endpoint href type kind format algorithm length size count limit min max',
    'policy rules ttl expiry expires expired expiration lifetime validity enabled disabled required supported through version provider',
    'issuer audience scope status state authentication verify rotation pair pairs index namespace title description label',
  ].join(' '),
);

/** So do these; but Vault's `secret_id` is a secret. */
const IDS = set('id ids ident identifier');

/** Words that stand for a secret wherever they stand in a name. */
const SECRET_WORDS = set(
  [
    'password passwords passwd passwds passphrase passphrases passcode passcodes pass pwd pwds pswd pw psk',
    'secret secrets token tokens cred creds credential credentials kubeconfig kubeconfigs authorization bearer',
  ].join(' '),
);

/** Words in one piece: `userpwd`, `dbpass`, `bearertoken`, `passwordhash`. */
const SECRET_WORD_END = /(?:password|passwd|passphrase|passcode|pass|pwd|pw|secret|token|cred|credential|kubeconfig)s?$/;

const HARMLESS_WORDS = set('compass bypass surpass trespass underpass overpass encompass sacred passwordless');

const isSecretWord = (word: string): boolean =>
  SECRET_WORDS.has(word) || (!HARMLESS_WORDS.has(word) && (word.startsWith('passw') || SECRET_WORD_END.test(word)));

/** Keys that are shown to everybody, or that find a thing. */
const SHOWN_KEYS = set(
  'public pub host authorized known foreign primary sort partition routing cache group map index label object',
);
const NO_KEYS = set('monkey turkey donkey whiskey hockey jockey lackey malarkey hotkey publickey pubkey hostkey authorizedkey');

/** A key is a secret where the name ends in it: a `key_id` and a `keystone_url` are none, nor are public keys. */
function endsInKey(words: readonly string[], last: string): boolean {
  const word = last.replace(/s$/, '');
  if (NO_KEYS.has(word) || !word.endsWith('key')) return false;
  return word !== 'key' || words.includes('private') || !words.some((other) => SHOWN_KEYS.has(other));
}
