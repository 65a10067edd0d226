import { describe, expect, it } from 'vitest';
import { isLoopback, missingFixes, warnOfOldServer } from './old-server.js';

describe('the warning of an old nats-server', () => {
  it.each([
    '1.4.1',
    '2.9.10',
    '2.10.27',
    '2.11.1',
    '2.11.8',
    '2.11.99',
    '2.12.11',
    '2.12.12-RC.1',
    '2.13.0',
    '2.14.2',
    'v2.9.25',
  ])('is given for %s, which lacks a known fix', (version) => expect(missingFixes(version)).toBe('2.12.12 or 2.14.3'));

  it.each(['2.12.12', '2.12.13', '2.12.13-RC.2', '2.14.3', '2.14.7', '2.15.0', '3.0.0', 'v2.14.3', 'a build of mine', ''])(
    'is not given for %j',
    (version) => expect(missingFixes(version)).toBeUndefined(),
  );

  it.each([
    ['127.0.0.1', true],
    ['127.8.8.8', true],
    ['localhost', true],
    ['::1', true],
    ['[::1]', true],
    ['::ffff:127.0.0.1', true],
    ['10.0.0.5', false],
    ['nats', false],
    ['127.evil.example', false],
    ['localhost.example', false],
    ['fe80::1', false],
    ['0.0.0.0', false],
  ])('knows whether %s leaves the machine', (host, stays) => expect(isLoopback(host)).toBe(stays));

  it('names version, fix and where it stands, and nothing is said of a server on this machine', () => {
    const lines: unknown[] = [];
    const ignored = (): void => undefined;
    const log = { info: ignored, error: ignored, warn: (text: string, fields?: object) => void lines.push([text, fields]) };
    warnOfOldServer('127.0.0.1', '2.9.10', log);
    expect(lines).toEqual([]);
    warnOfOldServer('nats.example', '2.9.10', log);
    expect(lines).toEqual([
      [
        expect.stringMatching(/nats-server 2\.9\.10 has known security flaws.*2\.12\.12 or 2\.14\.3/),
        expect.objectContaining({ host: 'nats.example', advisories: 'https://advisories.nats.io' }),
      ],
    ]);
  });
});
