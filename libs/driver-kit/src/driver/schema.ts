import type { JsonObject } from '@windlass/foundation';
import type { SshLoginNames } from '@windlass/mgmt-driver';

// Parts of a JSON Schema of `additionalParams`.
// One keyword a fault: `pattern` alone says what a text must be, so that a wrong field is reported once, at its own path.
// Patterns, and not the driver's own check, for whatever holds a secret: only the schema sees those unmasked.

/** Characters that stand in no text of a parameter, for a pattern's class. */
export const CONTROL = String.raw`\u0000-\u001f\u007f`;

/** A user of a machine, as `useradd` takes it: also the name of the home folder's owner. */
export const USER_NAME = '^[A-Za-z_][A-Za-z0-9_.-]{0,31}$';

/** A text by a pattern. */
export const text = (title: string, pattern: string, more: JsonObject = {}): JsonObject => ({
  type: 'string',
  title,
  pattern,
  ...more,
});

/** A name of something in the VNFD or the template. */
export const named = (title: string): JsonObject => text(title, '^[A-Za-z0-9_.:-]{1,255}$');

/** Path of a file, in the package or on a machine. */
export const path = (title: string): JsonObject => text(title, `^[^${CONTROL}]+$`, { maxLength: 1_024 });

/** An IPv4 range by its form. {@link RequestCheck.range} checks its meaning. */
export const cidr = (title: string, more: JsonObject = {}): JsonObject =>
  text(title, String.raw`^[0-9.]{7,15}/[0-9]{1,2}$`, more);

/**
 * A proxy: scheme, user and password percent-encoded, host, port; an empty one is none. A published sample has `port1` for a port, so a port is
 * any word. Quotes, blanks, `$`, backquotes, backslashes and control characters are in none of the parts.
 */
export const proxyUrl = (title: string): JsonObject =>
  text(title, String.raw`^(https?://([A-Za-z0-9._~%+,=:-]+@)?([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[A-Za-z0-9]+)?/?)?$`, {
    maxLength: 2048,
  });

/** What is reached without a proxy. */
export const noProxy: JsonObject = text(
  'What is reached without a proxy, separated by commas',
  String.raw`^[A-Za-z0-9.*:/\[\] ,_-]*$`,
  { maxLength: 8_192 },
);

/** A secret, which may be written as a number. */
export const password: JsonObject = {
  type: ['string', 'number'],
  title: 'Its password',
  pattern: `^[^${CONTROL}]+$`,
  maxLength: 1_024,
  writeOnly: true,
};

/** A private key. The keyword that {@link machineOf} sets checks that the key can be read with its passphrase. */
const privateKey: JsonObject = {
  type: 'string',
  title: 'Private key, OpenSSH or PEM',
  writeOnly: true,
};

const passphrase: JsonObject = { ...password, title: 'Passphrase of the private key' };

/** How to log in to machines. Their object is a {@link machineOf}. */
const login: JsonObject = {
  username: text('User name for the login by SSH', USER_NAME),
  password,
  private_key: privateKey,
  passphrase,
};

/** An object; names that it doesn't know pass, as in the reference system. */
export const objectOf = (title: string, properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  title,
  required,
  properties,
});

/** A login whose members' names begin with a prefix. */
const loginNamed = (prefix: string): JsonObject =>
  Object.fromEntries(Object.entries(login).map(([part, schema]) => [`${prefix}${part}`, schema]));

const sshLogin = (prefix: string): JsonObject & SshLoginNames => ({
  password: `${prefix}password`,
  privateKey: `${prefix}private_key`,
  passphrase: `${prefix}passphrase`,
});

/**
 * Machines to log in to: an object with `username`, and `password` or `private_key` or both, beside its own members. The key and its
 * passphrase are tried when the request comes.
 * @param prefix of the login's members: `ssh_` makes them `ssh_username` and so on
 */
export const machineOf = (title: string, properties: JsonObject, required: string[] = [], prefix = ''): JsonObject => ({
  ...objectOf(title, { ...loginNamed(prefix), ...properties }, [`${prefix}username`, ...required]),
  sshLogin: sshLogin(prefix),
});

/**
 * Parameters of an operation on an instance whose request may override logins, for that operation alone: for the prefix `master_node` the members
 * `master_node_username`, `master_node_password`, `master_node_private_key` and `master_node_passphrase`, all of them optional.
 * @param logins whose login each prefix overrides
 */
export const overridingLogins = (title: string, logins: Readonly<Record<string, string>>, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  title,
  properties: {
    ...more,
    ...Object.fromEntries(
      Object.entries(logins).flatMap(([prefix, whose]) =>
        Object.entries(login).map(([part, schema]) => [`${prefix}_${part}`, { ...(schema as JsonObject), description: whose }]),
      ),
    ),
  },
  // A key that is given is tried. Without a key a passphrase is useless.
  allOf: Object.keys(logins).map((prefix) => ({
    if: { anyOf: [{ required: [`${prefix}_private_key`] }, { required: [`${prefix}_passphrase`] }] },
    then: { sshLogin: sshLogin(`${prefix}_`) },
  })),
});

/** A list of 1 to 100 items. */
export const listOf = (title: string, items: JsonObject): JsonObject => ({
  type: 'array',
  title,
  minItems: 1,
  maxItems: 100,
  items,
});

/** Schema of `additionalParams` as a whole, with a driver's parameters under one name. */
export const parametersOf = (driver: string, param: string, schema: JsonObject): JsonObject => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: `Parameters of ${driver}`,
  type: 'object',
  required: [param],
  properties: { [param]: schema },
});
