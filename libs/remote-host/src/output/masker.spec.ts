import { Secret } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { Masker } from './masker.js';
import { processorTime } from '@windlass/foundation/testing';

describe('the masker', () => {
  it('hides secrets, lines of secrets and the user parts of URLs', () => {
    const masker = new Masker([new Secret('pass word'), new Secret('-----BEGIN-----\nabcdefghij\nx\n')]);
    expect(masker.mask('a pass word, ABC abcdefghij x http://me:pw@proxy/ ok://x')).toBe(
      'a ***, ABC *** x http://***@proxy/ ok://x',
    );
  });

  it('takes no longer for one long line than for many short ones', () => {
    const masker = new Masker([new Secret('never there')]);
    const began = processorTime();
    for (const text of ['x'.repeat(2_000_000), 'a://'.repeat(500_000), '://x'.repeat(500_000)]) masker.mask(text);
    expect(processorTime() - began).toBeLessThan(2_000);
  });
});
