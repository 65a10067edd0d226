import { describe, expect, it } from 'vitest';
import { isAmong, readPackageHosts } from './package-policy.js';

describe('the hosts that packages are fetched from', () => {
  it.each([
    ['repo.example', 'repo.example', true],
    ['repo.example', 'REPO.example.', true],
    ['repo.example', 'a.repo.example', false],
    ['repo.example', 'repo.example.evil', false],
    ['*.example.com', 'a.b.example.com', true],
    ['*.example.com', 'example.com', false],
    ['*.example.com', 'evilexample.com', false],
    ['10.0.0.7', '10.0.0.7', true],
    ['fd00::1', '[fd00::1]', true],
  ])('%s: %s is %s', (host, asked, expected) => {
    expect(isAmong([host], asked)).toBe(expected);
  });

  it('are none where nobody says so', () => {
    expect(isAmong([], 'localhost')).toBe(false);
    expect(readPackageHosts('')).toEqual([]);
  });

  it('are read from a list of names and addresses, and of nothing else', () => {
    expect(readPackageHosts('a.example,*.b.example,10.0.0.1')).toEqual(['a.example', '*.b.example', '10.0.0.1']);
    for (const text of ['*', 'http://a', '10.0.0.0/8', 'a b']) expect([text, readPackageHosts(text)]).toEqual([text, undefined]);
  });
});
