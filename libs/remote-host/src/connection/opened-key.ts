import { minutes } from '@windlass/foundation';
import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';
import ssh2 from 'ssh2';
import { roundsToOpen, tooDear } from './private-key.js';

/** Opening a key can take more than half a second in which this process does nothing else, and a cluster's machines often have one key. */
const opened = new LRUCache<string, ssh2.ParsedKey>({ max: 64, ttl: minutes(10) });

/**
 * A private key, ready to be used.
 * @throws Error why it can't be; nothing of the key or its passphrase is in it
 */
export function openedKey(privateKey: string, passphrase: string | undefined): ssh2.ParsedKey {
  if (roundsToOpen(privateKey, passphrase) === 0) return open(privateKey, passphrase);
  const which = createHash('sha256')
    .update(JSON.stringify([privateKey, passphrase]))
    .digest('base64');
  const key = opened.get(which) ?? open(privateKey, passphrase);
  opened.set(which, key);
  return key;
}

function open(privateKey: string, passphrase: string | undefined): ssh2.ParsedKey {
  const costs = tooDear(privateKey);
  if (costs !== undefined) throw new Error(`Cannot parse privateKey: it ${costs}`);
  const parsed: unknown = ssh2.utils.parseKey(privateKey, passphrase);
  // OpenSSH's format has room for several.
  const key: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  if (key instanceof Error) throw new Error(`Cannot parse privateKey: ${key.message}`);
  return key as ssh2.ParsedKey;
}
