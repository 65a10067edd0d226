import { describe, expect, it } from 'vitest';
import type { JsonObject } from './json.js';
import { secretsToGiveAnew } from './secrets-given-anew.js';

const before = { url: 'https://a', login: { user: 'u', password: 'secret', 'a/key~': 'another' } };
const shown = { url: 'https://a', login: { user: 'u', password: '***', 'a/key~': '***' } };
const destinationOf = ({ url = '' }: JsonObject) => [url];

/** What the patch, laid over what was there, must still give. */
function missing(patch: JsonObject, after: JsonObject): string[] {
  return secretsToGiveAnew({ before, shown, patch, after }, destinationOf);
}

describe('secrets of something whose address changes', () => {
  it.each([
    ['is not named', {}],
    ['comes back as it was shown', { login: { user: 'u', password: '***', 'a/key~': '***' } }],
    ['comes back half masked', { login: { password: 'sec***', 'a/key~': '***' } }],
  ])('are asked for anew where each %s', (_how, patch) => {
    const pointers = ['/login/password', '/login/a~1key~0'];
    expect(missing({ url: 'https://b', ...patch }, { ...before, url: 'https://b' })).toEqual(pointers);
  });

  it('are not asked for where they are given, the same ones too, or taken away', () => {
    const given = { password: 'secret', 'a/key~': 'third' };
    expect(missing({ url: 'https://b', login: given }, { url: 'https://b', login: { user: 'u', ...given } })).toEqual([]);
    expect(missing({ url: 'https://b', login: null }, { url: 'https://b' })).toEqual([]);
  });

  it('of which one is given are asked for as far as they are not', () => {
    const login = { user: 'u', password: 'new', 'a/key~': 'another' };
    expect(missing({ url: 'https://b', login: { password: 'new' } }, { url: 'https://b', login })).toEqual(['/login/a~1key~0']);
  });

  it('stay where the address does', () => {
    expect(missing({ login: { user: 'v' } }, { ...before, login: { ...before.login, user: 'v' } })).toEqual([]);
  });
});
