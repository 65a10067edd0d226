import { describe, expect, it } from 'vitest';
import { countedAs, hostOfLimit, limitOfHost, limitOfVim, vimOfLimit } from './limit-keys.js';

describe('a limit whose key somebody else chose', () => {
  const registered = { vimId: '6f1b4c1e-0b8f-4c3e-9f53-000000000001', connectionId: 'mine' };

  it('is of a registered VIM for all who may use it, and of one that a request describes for its tenant alone', () => {
    expect(limitOfVim('a', registered)).toBe(limitOfVim('b', registered));
    // A name that is a registered VIM's id is nothing but a name.
    const named = { connectionId: registered.vimId };
    expect(limitOfVim('a', named)).not.toBe(limitOfVim('a', registered));
    expect(limitOfVim('a', named)).not.toBe(limitOfVim('b', named));
    expect([vimOfLimit(limitOfVim('a', registered)), vimOfLimit(limitOfVim('a', named))]).toEqual([
      registered.vimId,
      registered.vimId,
    ]);
    expect(vimOfLimit('host:x')).toBeUndefined();
  });

  it('is of a machine for its VNF instance alone, whatever id its VIM gave it', () => {
    const key = limitOfHost('server-1');
    expect(countedAs('one', key)).not.toBe(countedAs('another', key));
    expect(countedAs('one', key)).toMatch(/^host:/);
    expect(hostOfLimit(key)).toBe('server-1');
    expect(countedAs('one', 'k8s-mgmt:ansible')).toBe('k8s-mgmt:ansible');
  });
});
