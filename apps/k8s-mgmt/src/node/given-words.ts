import { isIP, isIPv4 } from 'node:net';
import { parseCidr, schema } from '@windlass/driver-kit';
import { TerminalError } from '@windlass/foundation';

// Words from a VIM, a cluster, a machine or a request, which go into a file that a program reads by lines, words or templates.

interface Kind {
  fits: (word: unknown) => boolean;
  /** The last part of the error's code. */
  code: string;
  expected: string;
}

const text =
  (fits: (word: string) => boolean) =>
  (word: unknown): boolean =>
    typeof word === 'string' && fits(word);

const integer =
  (from: number, to: number) =>
  (word: unknown): boolean =>
    typeof word === 'number' && Number.isInteger(word) && word >= from && word <= to;

/** A zone (`fe80::1%eth0`) has a meaning only on its own machine. */
const withoutZone = (word: string): boolean => !word.includes('%');

/** RFC 1123. */
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const isHostName = (word: string): boolean => word.length <= 253 && word.split('.').every((label) => LABEL.test(label));

const USER = new RegExp(schema.USER_NAME);

const KINDS = {
  /** Of a proxy or a server, as HAProxy takes it. */
  name: {
    fits: text((word) => /^[A-Za-z0-9_.:-]{1,253}$/.test(word)),
    code: 'bad-name',
    expected: '1 to 253 letters, digits and characters of "_.:-"',
  },
  port: { fits: integer(1, 65_535), code: 'bad-port', expected: 'an integer from 1 to 65535' },
  address: { fits: text((word) => withoutZone(word) && isIP(word) !== 0), code: 'bad-address', expected: 'an IP address' },
  ipv4: { fits: text(isIPv4), code: 'bad-address', expected: 'an IPv4 address' },
  link: {
    fits: text((word) => /^[A-Za-z0-9_.:-]{1,15}$/.test(word)),
    code: 'bad-link',
    expected: '1 to 15 letters, digits and characters of "_.:-"',
  },
  prefixLength: { fits: integer(0, 32), code: 'bad-prefix-length', expected: 'an integer from 0 to 32' },
  hostName: { fits: text(isHostName), code: 'bad-host-name', expected: 'a host name by RFC 1123' },
  user: { fits: text((word) => USER.test(word)), code: 'bad-user', expected: 'a name of a user, as useradd takes it' },
  range: { fits: text((word) => parseCidr(word) !== undefined), code: 'bad-range', expected: 'an IPv4 range' },
} as const satisfies Record<string, Kind>;

/**
 * The word, where it is of the kind.
 * @param of whose word it is, in the error's code: `balancer`
 * @param what it is, for people: `the name of a back end`
 * @throws TerminalError `<of>.bad-name` and so on, before anything is written
 */
export function fitting<Word>(of: string, kind: keyof typeof KINDS, word: Word, what: string): Word {
  const { fits, code, expected }: Kind = KINDS[kind];
  if (fits(word)) return word;
  throw new TerminalError(
    `${of}.${code}`,
    `${what} is ${shownWord(word)}; ${expected} was expected. It is written nowhere: correct it where it comes from, then retry the operation`,
  );
}

const LONGEST_SHOWN = 80;

/** Any text or number, for a message: in one line, and cut to a length. */
export function shownWord(word: unknown): string {
  const whole = typeof word === 'number' ? String(word) : JSON.stringify(String(word).slice(0, LONGEST_SHOWN + 1));
  return whole.length <= LONGEST_SHOWN ? whole : `${whole.slice(0, LONGEST_SHOWN)}…`;
}
