import { describe, expect, it } from 'vitest';
import { parseFlags, UsageError, type FlagSpecs } from './flags.js';
import { formatGoDuration, parseGoDuration } from './go-duration.js';

const specs: FlagSpecs = {
  config: { kind: 'string', usage: '' },
  force: { kind: 'bool', short: 'f', usage: '' },
  hashes: { kind: 'strings', usage: '' },
  port: { kind: 'int', default: '6443', usage: '' },
  ttl: { kind: 'duration', default: '24h0m0s', usage: '' },
};

const problem = (...args: string[]): string => {
  try {
    parseFlags(specs, args);
    return 'none';
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
};

describe('command lines as pflag reads them', () => {
  it('takes values behind a space and behind an equals sign, and leaves the rest', () => {
    const flags = parseFlags(specs, ['--config', 'a.yaml', '10.0.0.1:6443', '--port=7443', '-f', '--', '--not-a-flag']);
    expect(flags.string('config')).toBe('a.yaml');
    expect(flags.int('port')).toBe(7443);
    expect(flags.bool('force')).toBe(true);
    expect(flags.positional).toEqual(['10.0.0.1:6443', '--not-a-flag']);
  });

  it('adds up lists over commas and repetitions, and falls back to defaults', () => {
    const flags = parseFlags(specs, ['--hashes', 'a,b', '--hashes=c']);
    expect(flags.strings('hashes')).toEqual(['a', 'b', 'c']);
    expect(flags.int('port')).toBe(6443);
    expect(flags.duration('ttl')).toBe(86_400_000);
    expect(flags.given('port')).toBe(false);
  });

  it('refuses what pflag refuses, in its words', () => {
    expect(problem('--nope')).toBe('unknown flag: --nope');
    expect(problem('-x')).toBe("unknown shorthand flag: 'x' in -x");
    expect(problem('--config')).toBe('flag needs an argument: --config');
    expect(problem('--port=many')).toContain('invalid argument "many" for "--port" flag');
    expect(problem('--ttl', '5 minutes')).toBe(
      'invalid argument "5 minutes" for "--ttl" flag: time: invalid duration "5 minutes"',
    );
    expect(problem('--force=perhaps')).toContain('strconv.ParseBool');
    expect(problem('--__proto__')).toBe('unknown flag: --__proto__');
  });
});

describe('durations in the notation of Go', () => {
  it.each([
    ['24h0m0s', 86_400_000],
    ['1m30s', 90_000],
    ['500ms', 500],
    ['0', 0],
    ['-2s', -2_000],
  ])('reads %s', (text, milliseconds) => {
    expect(parseGoDuration(text)).toBe(milliseconds);
  });

  it.each(['', '5', '1d', '1h 2m', 'h'])('refuses "%s"', (text) => {
    expect(parseGoDuration(text)).toBeUndefined();
  });

  it('prints what it reads', () => {
    for (const text of ['24h0m0s', '1m30s', '500ms', '0s', '2s']) {
      const duration = parseGoDuration(text);
      expect(duration === undefined ? '' : formatGoDuration(duration)).toBe(text);
    }
  });
});
