import { createHash } from 'node:crypto';
import { naiveMicros, uuid } from '../state/ids.js';
import type { CloudState, KeyPair } from '../state/state.js';
import { computeError, invalidField } from '../http/nova-errors.js';

const POLICIES = ['anti-affinity', 'affinity', 'soft-anti-affinity', 'soft-affinity'];

/** Makes a server group, or refuses its policy. */
export function createGroup(
  state: CloudState,
  owner: { projectId: string; userId: string },
  name: string,
  policy: string,
): string {
  if (!POLICIES.includes(policy)) {
    throw invalidField(
      '0',
      policy,
      `'${policy}' is not one of ['anti-affinity', 'affinity', 'soft-anti-affinity', 'soft-affinity']`,
    );
  }
  const id = uuid();
  state.serverGroups.set(id, { id, name, policy, ...owner });
  return id;
}

/** Makes a key pair of a given public key. */
export function createKeyPair(state: CloudState, userId: string, name: string, publicKey: string): KeyPair {
  const id = `${userId}/${name}`;
  if (state.keyPairs.has(id)) throw computeError(409, `Key pair '${name}' already exists.`);
  const blob = /^[a-z0-9-]+ ([A-Za-z0-9+/=]+)/.exec(publicKey)?.[1];
  if (blob === undefined) throw computeError(400, 'Keypair data is invalid: failed to generate fingerprint');
  const digest = createHash('md5').update(Buffer.from(blob, 'base64')).digest('hex');
  const fingerprint = digest.match(/../g)?.join(':') ?? '';
  const pair: KeyPair = { id, name, userId, publicKey, fingerprint, createdAt: naiveMicros() };
  state.keyPairs.set(id, pair);
  return pair;
}
