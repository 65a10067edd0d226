import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { KeyPair } from '../sealing/key-pair.js';
import { open, seal } from '../sealing/sealed-box.js';
import { VimAdministration } from './vim-administration.js';

const TYPE = 'vim.cluster-access.request';
const [key, older] = [randomBytes(32), randomBytes(32)];
const asker = new VimAdministration([key]);
const pair = KeyPair.generate();
const asked = asker.signed(TYPE, { tenant: 'default', sealTo: pair.public.x });

describe('the answer to a request of administration that holds a secret', () => {
  it('opens where a holder of the master key made it of that request, whatever other keys it has', () => {
    const registry = new VimAdministration([older, key]);
    const sealed = seal(pair.public, Buffer.from('secret'), registry.boundTo(TYPE, asked));
    expect(open(pair, sealed, asker.boundTo(TYPE, asked)).toString()).toBe('secret');
  });

  it('does not open where it was made of another request, though of the same words', () => {
    const again = asker.signed(TYPE, { tenant: 'default', sealTo: pair.public.x });
    const sealed = seal(pair.public, Buffer.from('secret'), asker.boundTo(TYPE, again));
    expect(() => open(pair, sealed, asker.boundTo(TYPE, asked))).toThrow(expect.objectContaining({ code: 'sealing.broken' }));
  });

  it('is made of no request that was changed, and by nobody without the master key', () => {
    const refusal = expect.objectContaining({ code: 'vim.not-administration' }) as Error;
    expect(() => asker.boundTo(TYPE, { ...asked, tenant: 'other' })).toThrow(refusal);
    expect(() => new VimAdministration([randomBytes(32)]).boundTo(TYPE, asked)).toThrow(refusal);
  });
});
