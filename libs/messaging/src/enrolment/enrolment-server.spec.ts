import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CoreKeys } from '../sealing/core-keys.js';
import { KeyPair } from '../sealing/key-pair.js';
import { EnrolmentServer } from './enrolment-server.js';
import type { EnrolmentStore } from './enrolment-store.js';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('a worker that asks whether its key is enrolled', () => {
  it.each([
    ['is noted', false, ['seen'], { enrolled: true }],
    ['is not noted where the key is revoked: it keeps nothing alive', true, [], { enrolled: false, reason: 'key-revoked' }],
  ])('%s', async (_, revoked, noted, answer) => {
    const { x } = KeyPair.generate().public;
    const seen: string[] = [];
    const store: EnrolmentStore = {
      key: (id) => Promise.resolve({ id, service: 'maker', publicKey: x, revoked }),
      seen: () => Promise.resolve(void seen.push('seen')),
      keysOf: () => Promise.resolve([]),
      token: () => Promise.resolve(undefined),
      enrol: () => Promise.resolve(false),
    };
    const server = new EnrolmentServer(store, new CoreKeys([randomBytes(32)]), quiet);
    expect(await server.enrol({ service: 'maker', worker: 'maker@here', publicKey: x })).toEqual(answer);
    expect(seen).toEqual(noted);
  });
});
