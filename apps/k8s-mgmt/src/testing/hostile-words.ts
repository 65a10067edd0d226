import type { FakeHosts } from '@windlass/mgmt-driver/testing';

/** Values that would be more than one word in a file of lines or words, and values that are no texts. */
const NO_WORDS: readonly unknown[] = [
  'a\nlisten x\n    bind *:80',
  'a\r',
  'a\tb',
  'a b',
  'a#b',
  'a"b',
  "a'b",
  'a\\b',
  'a\0b',
  'a\u2028b',
  '{{ 1 + 1 }}',
  '$(id)',
  '',
  'a'.repeat(300),
  undefined,
  null,
  Number.NaN,
  ['master24'],
];

/** Values that no file may get, by their meanings. */
export const HOSTILE: Readonly<Record<'name' | 'port' | 'address' | 'hostName' | 'user', readonly unknown[]>> = {
  name: NO_WORDS,
  port: [0, 65_536, -1, 80.5, Number.NaN, Number.POSITIVE_INFINITY, '80', '1e3', '80\nlisten x', '', undefined, [80]],
  address: [
    ...NO_WORDS,
    '10.0.0.1\nlisten x',
    '10.0.0.300',
    '010.0.0.1',
    '10.0.0.1:80',
    'fe80::1%eth0',
    '[fd00::1]',
    '1e3',
    'host',
  ],
  hostName: [...NO_WORDS, '-a', 'a-', 'a_b', 'a..b', '.a', 'a:b', `${'a'.repeat(64)}.b`, 'all,localhost', '@/etc/shadow'],
  user: [...NO_WORDS, '0123', '1e3', '-a', 'a:b'],
};

/** The hostile values of a kind, each with a test's title. */
export const hostile = (kind: keyof typeof HOSTILE): [shown: string, word: never][] =>
  HOSTILE[kind].map((word) => [typeof word === 'string' ? JSON.stringify(word).slice(0, 40) : String(word), word as never]);

/** Collects the names of jobs from now on: a real job has its folder on the machine before its files are made. */
export function jobsOf(hosts: FakeHosts): string[] {
  const names: string[] = [];
  const hostOf = hosts.host.bind(hosts);
  hosts.host = (...args) => {
    const host = hostOf(...args);
    const job = host.job.bind(host);
    host.job = (name, spec) => {
      names.push(name);
      return job(name, spec);
    };
    return host;
  };
  return names;
}
