import { inspect } from 'node:util';

export const MASK = '***';

/** A value that never shows itself: printing, logging or serialising it gives `***`. Only {@link Secret.reveal} gives it away. */
export class Secret {
  readonly #value: string;
  constructor(value: string) {
    this.#value = value;
  }
  /** The value itself. Every call is a place to review. */
  reveal(): string {
    return this.#value;
  }
  toString(): string {
    return MASK;
  }
  toJSON(): string {
    return MASK;
  }
  [inspect.custom](): string {
    return `Secret(${MASK})`;
  }
}

/** Replaces every occurrence of the given secret values in a text, longest first, so that one inside another leaves nothing behind. */
export function maskSecrets(text: string, secrets: readonly (Secret | string)[]): string {
  const values = secrets
    .map((secret) => (typeof secret === 'string' ? secret : secret.reveal()))
    .filter((value) => value.length > 0)
    .sort((a, b) => b.length - a.length);
  return values.reduce((masked, value) => masked.replaceAll(value, MASK), text);
}

/** Names of members that hold secrets by convention of the requests and packages that users have (seeds, spec/mgmt-kubernetes.md). */
const SECRET_NAMES =
  /^(.*[_-])?(password|passwd|secret|token|bearer_token|private_key|privatekey|ssh_key|client_secret|clientpassword|kubeconfig|certificate_key|authorization|apikey|api_key|passphrase)$/i;

export const isSecretName = (name: string): boolean =>
  SECRET_NAMES.test(name) || /[a-z](Password|Secret|Token|PrivateKey)$/.test(name);

/** The user part of a URL is a secret: `http://user:pw@host/` becomes `http://***@host/`. Linear in the text's length. */
export const maskUrlUser = (text: string): string =>
  text.replaceAll(/([a-z][a-z0-9+.-]{0,15}:\/\/)[^/\s]{1,1024}@/gi, `$1${MASK}@`);

/** A deep copy with the values of secret members and the user parts of URLs masked. Keys and shape stay. */
export function masked<T>(value: T, isSecret: (name: string) => boolean = isSecretName): T {
  return maskValue(value, isSecret) as T;
}

function maskValue(value: unknown, isSecret: (name: string) => boolean): unknown {
  if (value instanceof Secret) return MASK;
  if (typeof value === 'string') return maskUrlUser(value);
  if (Array.isArray(value)) return value.map((entry) => maskValue(entry, isSecret));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const hide =
        isSecret(key) &&
        member !== null &&
        (typeof member === 'string' || typeof member === 'number' || member instanceof Secret);
      return [key, hide ? MASK : maskValue(member, isSecret)];
    }),
  );
}
