import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Vault } from './vault.js';

const [newest, older] = [randomBytes(32), randomBytes(32)];
const PLACE = 'vim.vim.auth_cred 1';

describe('what is sealed at rest', () => {
  it('opens in its own row and column alone, and holds nothing in the clear', () => {
    const vault = new Vault([newest]);
    const sealed = vault.seal('a password', PLACE);
    expect(sealed.includes('a password')).toBe(false);
    expect(vault.open(sealed, PLACE).toString()).toBe('a password');
    for (const place of ['vim.vim.auth_cred 2', 'vim.vim.extra 1']) expect(() => vault.open(sealed, place)).toThrow('moved');
  });

  it('does not open with a byte of it changed, wherever that is', () => {
    const vault = new Vault([newest]);
    const sealed = vault.seal('a password', PLACE);
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(sealed.readUInt8(at) ^ 1, at);
      expect(() => vault.open(changed, PLACE), `byte ${at}`).toThrow(PLACE);
    }
  });

  it('is sealed by the first of several keys; older ones open what they sealed', () => {
    const [before, now] = [new Vault([older]), new Vault([newest, older])];
    expect(now.open(before.seal('old', PLACE), PLACE).toString()).toBe('old');
    expect(() => before.open(now.seal('new', PLACE), PLACE)).toThrow('add the old key');
  });
});
