import { describe, expect, it } from 'vitest';
import { waitText, type ToldWait } from './wait-text.js';

const text = (...waitsFor: ToldWait[]): string =>
  waitText({ action: 'join-worker', version: 2, waitsFor }, (time) => time.slice(11, 16));

describe('why a step does not run', () => {
  it.each<[string, ToldWait[]]>([
    ['', []],
    ['after a', [{ for: 'step', id: 'a' }]],
    ['after a and 2 more', ['a', 'b', 'c'].map((id) => ({ for: 'step', id }))],
    ['waits for a place: host:1', [{ for: 'limit', key: 'host:1' }]],
    ['waits for one of 3 places', [{ for: 'group', limit: 3 }]],
    ['again at 03:04', [{ for: 'time', until: '2026-11-27T03:04:05Z' }]],
    ['waits for a worker of k8s-mgmt that has join-worker@2', [{ for: 'worker', service: 'k8s-mgmt' }]],
  ])('is said in one line: %s', (said, waitsFor) => {
    expect(text(...waitsFor)).toBe(said);
  });
});
