import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { masked } from './secret-masking.js';
import { maskSecrets, maskUrlUser, Secret } from './secret.js';
import { processorTime } from './testing/index.js';

describe('a secret', () => {
  it('never shows itself when printed, serialised or put into a text', () => {
    const secret = new Secret('hunter2');
    expect(`${String(secret)} ${JSON.stringify({ secret })}`).not.toContain('hunter2');
    expect(secret.reveal()).toBe('hunter2');
  });

  it('is masked wherever it stands in a text, also inside another one', () => {
    expect(maskSecrets('pw=qzxdef qzx', [new Secret('qzx'), new Secret('qzxdef')])).toBe('pw=*** ***');
  });

  it('in the user part of a URL is masked whole, an @ in it too', () => {
    expect(maskUrlUser('http://user:p@ss@host:1/x?a=b@c and https://h/')).toBe('http://***@host:1/x?a=b@c and https://h/');
  });

  it('is masked by its name at any depth, and the shape stays', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 3 }),
        fc.constantFrom('password', 'bearer_token', 'clientPassword', 'master_node_password'),
        (value, name) => {
          const shown = masked({ a: [{ [name]: value, other: 1 }] });
          expect(shown).toEqual({ a: [{ [name]: '***', other: 1 }] });
        },
      ),
    );
  });

  it('is looked for in linear time', () => {
    const begun = processorTime();
    maskUrlUser('a'.repeat(2_000_000));
    maskUrlUser('http://'.repeat(200_000));
    expect(processorTime() - begun).toBeLessThan(5_000);
  });
});
