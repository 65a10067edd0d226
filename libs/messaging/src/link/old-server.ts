import { isIP } from 'node:net';
import type { MessagingLog } from './messaging-log.js';

/**
 * The first release of each maintained series with all security fixes known on {@link KNOWN_ON}, oldest series first. From
 * https://advisories.nats.io: 2026-26 (GHSA-7qmq-8cc4-hxwg, replay past denied subjects) in 2.12.12 and 2.14.3; before it 2026-16 and 2026-18
 * (authorization of routes and of queue groups) in 2.12.7, 2.11.16; CVE-2026-33222 (JetStream's restore writes other streams), CVE-2026-33249
 * (traces to any subject) in 2.12.6, 2.11.15; CVE-2025-30215 (JetStream's API without access control) in 2.11.1, 2.10.27; CVE-2023-47090
 * (authentication bypassed) in 2.10.2, 2.9.23. Series before 2.12 got no fix of the last one.
 */
const FIXED: readonly (readonly [major: number, minor: number, patch: number])[] = [
  [2, 12, 12],
  [2, 14, 3],
];
const KNOWN_ON = '2026-06-29';

/** What to say of a server that lacks a known security fix: the releases that have it. Undefined where nothing is missing, or can't be told. */
export function missingFixes(version: string): string | undefined {
  const [, major, minor, patch, candidate] = /^v?(\d+)\.(\d+)\.(\d+)(-.*)?$/.exec(version) ?? [];
  if (major === undefined) return undefined;
  const given = [Number(major), Number(minor), Number(patch)] as const;
  const series = FIXED.find(([a, b]) => a === given[0] && b === given[1]);
  const newest = FIXED.at(-1);
  const fixed =
    series === undefined
      ? newest !== undefined && (given[0] > newest[0] || (given[0] === newest[0] && given[1] > newest[1]))
      : given[2] > series[2] || (given[2] === series[2] && candidate === undefined);
  return fixed ? undefined : FIXED.map((release) => release.join('.')).join(' or ');
}

/** Whether nobody else can be on the way there: `127.0.0.0/8`, `::1`, `localhost`. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (isIP(bare) === 4) return bare.startsWith('127.');
  return bare === '::1' || bare === 'localhost' || bare.startsWith('::ffff:127.');
}

/** A line for a server that others can reach and that lacks a known security fix. */
export function warnOfOldServer(host: string, version: string, log: MessagingLog): void {
  if (isLoopback(host)) return;
  const fixedIn = missingFixes(version);
  if (fixedIn === undefined) return;
  log.warn(
    `nats-server ${version} has known security flaws: what each user may do may not hold there. Upgrade it to ${fixedIn}, or newer`,
    { host, version, fixedIn, advisories: 'https://advisories.nats.io', knownOn: KNOWN_ON },
  );
}
