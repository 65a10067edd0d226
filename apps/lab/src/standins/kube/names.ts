import { randomBytes, randomInt, randomUUID } from 'node:crypto';

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** RFC 1123 subdomain: the names of most objects. */
export const isSubdomain = (name: string): boolean => name.length <= 253 && SUBDOMAIN.test(name);
/** RFC 1123 label: the names of namespaces and services. */
export const isDnsLabel = (name: string): boolean => name.length <= 63 && LABEL.test(name);
/** RBAC names are path segments: anything but `/`, `%`, `.` and `..`. */
export const isPathSegment = (name: string): boolean => name !== '.' && name !== '..' && !/[/%]/.test(name) && name !== '';

export const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with " +
  "an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/** Without vowels and the digits that look like them, as the real server's, so that no word appears. */
const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** Five characters for `generateName`. */
export const randomSuffix = (length = 5): string =>
  Array.from({ length }, () => SUFFIX_ALPHABET[randomInt(SUFFIX_ALPHABET.length)]).join('');

export const newUid = (): string => randomUUID();

const TOKEN_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
const tokenPart = (length: number): string =>
  Array.from({ length }, () => TOKEN_ALPHABET[randomInt(TOKEN_ALPHABET.length)]).join('');

/** A bootstrap token: `[a-z0-9]{6}.[a-z0-9]{16}`. */
export const newBootstrapToken = (): string => `${tokenPart(6)}.${tokenPart(16)}`;

export const BOOTSTRAP_TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;

/** A certificate key: 32 bytes for AES-256, in hex. */
export const newCertificateKey = (): string => randomBytes(32).toString('hex');
