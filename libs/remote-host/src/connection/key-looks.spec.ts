import { processorTime } from '@windlass/foundation/testing';
import ssh2 from 'ssh2';
import { beforeAll, describe, expect, it } from 'vitest';
import { KeyLooks } from './key-looks.js';
import { openedKey } from './opened-key.js';
import { privateKeyFault } from './private-key.js';

/** As dear as a key may be. */
let dear: string;
beforeAll(() => {
  dear = ssh2.utils.generateKeyPairSync('ecdsa', {
    bits: 256,
    passphrase: 'open sesame',
    cipher: 'aes256-ctr',
    rounds: 32,
  }).private;
});

describe('keys that take long to open', () => {
  it('are opened beside other work, and found as they are found without a thread', async () => {
    let ticks = 0;
    const other = setInterval(() => (ticks += 1), 5);
    const plain = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }).private;
    const keys = [
      { privateKey: dear, passphrase: 'open sesame' },
      { privateKey: plain, passphrase: undefined },
      { privateKey: dear, passphrase: 'open sasame' },
      { privateKey: dear, passphrase: undefined },
      { privateKey: dear.slice(0, -200), passphrase: 'open sesame' },
      { privateKey: 'no key', passphrase: undefined },
    ];
    const faults = await new KeyLooks().faults('default', keys);
    clearInterval(other);
    expect(faults).toEqual(keys.map(({ privateKey, passphrase }) => privateKeyFault(privateKey, passphrase)));
    expect(faults.slice(0, 3)).toEqual([undefined, undefined, { of: 'passphrase', reason: 'does not open the private key' }]);
    expect(ticks).toBeGreaterThan(5);
  });

  it('are so many in a request and no more, and none beyond is opened', async () => {
    const keys = ['open sesame', 'open sesame', 'x'].map((passphrase) => ({ privateKey: dear, passphrase }));
    const [first, ...others] = await new KeyLooks(32).faults('default', keys);
    expect(first).toBeUndefined();
    for (const other of others) expect(other?.reason).toContain('more than 32 rounds');
  });

  it('are opened once, however many machines have them', () => {
    const opening = (): number => {
      const begun = processorTime();
      openedKey(dear, 'open sesame');
      return processorTime() - begun;
    };
    const first = opening();
    expect(opening()).toBeLessThan(first / 4);
    expect(() => openedKey(dear, 'open sasame')).toThrow('Cannot parse privateKey');
  });
});
