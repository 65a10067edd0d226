import { describe, expect, it } from 'vitest';
import { KeptTexts, type KeptText } from './kept-texts.js';

const kept = (bytes: number): KeptText => ({ mark: '1', masks: {}, etag: '"1"', text: Buffer.alloc(bytes) });

describe('what is kept of answers', () => {
  it('takes no more memory than it may, whatever is asked for; what was asked for longest ago goes', () => {
    const texts = new KeptTexts(20_000);
    for (let n = 0; n < 1_000; n++) {
      texts.set(`i-${n}`, kept(4_500));
      expect(texts.get('i-0')).toBeDefined();
      expect(texts.bytes).toBeLessThanOrEqual(20_000);
    }
    expect(texts.get('i-999')).toBeDefined();
    expect(texts.get('i-900')).toBeUndefined();
  });

  it('counts a text that takes the place of another once, and keeps none that is larger than everything', () => {
    const texts = new KeptTexts(20_000);
    for (let n = 0; n < 10; n++) texts.set('i', kept(9_000));
    const { bytes } = texts;
    expect(bytes).toBeLessThan(10_000);
    texts.set('i', kept(30_000));
    expect(texts.get('i')).toBeUndefined();
    expect(texts.bytes).toBe(0);
    texts.delete('i');
    expect(texts.bytes).toBe(0);
  });
});
