import { createHash } from 'node:crypto';
import { TerminalError } from '@windlass/foundation';
import type { HostTarget } from '@windlass/mgmt-driver';

/** Where the keys of hosts are kept, each under the resource it was first seen at. A replaced server is another resource. */
export interface HostKeyStore {
  /** The pinned key: type and base64 in one line, as in a known_hosts file. */
  get(resourceId: string): Promise<string | undefined>;
  /** Pins the key unless one is pinned already. Returns the one that is pinned now: of two that race, the first. */
  pin(resourceId: string, key: string): Promise<string>;
}

/** Keeps keys as long as the process lives. */
export class MemoryHostKeys implements HostKeyStore {
  readonly #keys = new Map<string, string>();

  get(resourceId: string): Promise<string | undefined> {
    return Promise.resolve(this.#keys.get(resourceId));
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
  return `SHA256:${hash.replace(/=+$/, '')} (${type})`;
}

/** The signature algorithms that can prove a key of that line's type. */
export function algorithmsOf(line: string): string[] {
  const [type = ''] = line.split(' ');
  return type === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [type];
}

export const hostKeyChanged = (target: HostTarget, pinned: string, presented: string): TerminalError =>
  new TerminalError(
    'remote.host-key-changed',
    `${target.address} does not show the host key that was pinned for resource ${target.resourceId}: expected ${fingerprint(pinned)}, ` +
      `got ${presented === '' ? 'a key of another type' : fingerprint(presented)}. Nothing was sent to it. If the machine behind this address was ` +
      `replaced or its keys were made anew on purpose, compare the new fingerprint on its console (ssh-keygen -l -f ` +
      `/etc/ssh/ssh_host_ed25519_key.pub) and remove the pinned key; otherwise someone may be in between`,
  );
