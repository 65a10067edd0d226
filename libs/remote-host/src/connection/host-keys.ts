import { createHash } from 'node:crypto';
import { TerminalError, withoutEnd } from '@windlass/foundation';
import type { HostRun, HostTarget } from '@windlass/mgmt-driver';
import { quoted } from '../output/said-too-much.js';

/** The claim on whose behalf a host is reached. */
export type HostClaim = Pick<HostRun, 'operationId' | 'stepId' | 'epoch'>;

/** Which keys a machine may show: type and base64 in one line, as in a known_hosts file. */
export interface ExpectedKeys {
  /** The pinned one alone; else those known beforehand, of which it must show one; none: it is seen for the first time. */
  readonly keys: readonly string[];
  readonly pinned: boolean;
}

/** Where the keys of hosts are kept, each under the resource it was first seen at. A replaced server is another resource. */
export interface HostKeyStore {
  get(resourceId: string, claim: HostClaim): Promise<ExpectedKeys>;
  /** Pins the key unless one is pinned already. Returns the one that is pinned now: of two that race, the first. */
  pin(resourceId: string, key: string, claim: HostClaim): Promise<string>;
}

/** Keeps keys as long as the process lives. */
export class MemoryHostKeys implements HostKeyStore {
  readonly #keys = new Map<string, string>();

  /** @param known keys known beforehand, by resource */
  constructor(private readonly known: Readonly<Record<string, readonly string[]>> = {}) {}

  get(resourceId: string): Promise<ExpectedKeys> {
    const pinned = this.#keys.get(resourceId);
    return Promise.resolve(
      pinned === undefined ? { keys: this.known[resourceId] ?? [], pinned: false } : { keys: [pinned], pinned: true },
    );
  }

  pin(resourceId: string, key: string): Promise<string> {
    const pinned = this.#keys.get(resourceId) ?? key;
    this.#keys.set(resourceId, pinned);
    return Promise.resolve(pinned);
  }
}

/** A key as it comes over the wire (RFC 4253 6.6: its type, length first, then the key) in one line. */
export function keyLine(blob: Buffer): string {
  const type = blob.subarray(4, 4 + blob.readUInt32BE(0)).toString('latin1');
  return `${type} ${blob.toString('base64')}`;
}

/** As `ssh-keygen -l` shows it. */
export function fingerprint(line: string): string {
  const [type = '', base64 = ''] = line.split(' ');
  const hash = createHash('sha256').update(Buffer.from(base64, 'base64')).digest('base64');
  return `SHA256:${withoutEnd(hash, '=')} (${quoted(type, 40)})`;
}

/** The signature algorithms that can prove a key of one of those lines' types. */
export function algorithmsOf(lines: readonly string[]): string[] {
  const types = new Set(lines.map((line) => line.split(' ', 1)[0] ?? ''));
  return [...types].flatMap((type) => (type === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [type]));
}

/** The files of a machine's host keys, by the first word of their types. */
const FILES: readonly (readonly [string, string])[] = [
  ['ecdsa-', 'ecdsa'],
  ['ssh-rsa', 'rsa'],
];

/** The file that OpenSSH keeps a key of that type in. */
const fileOf = (line: string): string =>
  `/etc/ssh/ssh_host_${FILES.find(([type]) => line.startsWith(type))?.[1] ?? 'ed25519'}_key.pub`;

/** What to do once it is sure that the machine itself shows the key. */
const GIVEN_TODO = 'the key given was wrong. Roll back, then ask again with that key in additionalParams.windlass_host_keys';
const ANEW =
  '4. The rollback deletes the machine if the operation made it. If it makes its keys at its first boot, the next one has others: give none then';
const pinnedTodo = (resourceId: string): string =>
  `and the machine or its keys were made anew on purpose: remove the pinned key (./windlass vim host-key remove ${resourceId}), then retry`;

/**
 * The error for a host that shows none of the keys it must show. `presented` is empty where it has no key of such a type.
 * @returns `remote.host-key-changed`, with both fingerprints and what to do
 */
export const hostKeyChanged = (target: HostTarget, { keys, pinned }: ExpectedKeys, presented: string): TerminalError => {
  const { address, resourceId } = target;
  const expected = keys.map(fingerprint).join(' or ');
  const shown = presented === '' ? 'a key of another type' : fingerprint(presented);
  const given = keys.length > 1 ? 'one of those given beforehand' : 'the one given beforehand';
  const same = pinned ? `The same as "got", ${pinnedTodo(resourceId)}` : `The same as "got": ${GIVEN_TODO}`;
  const says = [
    `1. On the machine's console: ssh-keygen -l -f ${fileOf(presented)}`,
    `2. ${same}`,
    '3. A different one: neither retry nor roll back. Keep the machine and tell security: somebody may be in between',
    ...(pinned ? [] : [ANEW]),
  ].join('\n');
  return new TerminalError(
    'remote.host-key-changed',
    `${address}'s SSH host key is not ${pinned ? 'the one pinned at the first login' : given}: expected ${expected}, got ${shown}. ` +
      `Nothing was sent to it (resource ${resourceId}).\n${says}`,
    { remedy: { says, leadsOn: pinned ? 'retry' : 'rollback', when: 'When the fingerprint is the same as "got"' } },
  );
};
