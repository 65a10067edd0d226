import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Matches } from 'class-validator';
import { days, hours, millis, minutes, seconds, Secret, type Duration } from '@windlass/foundation';
import { afterAll, describe, expect, it } from 'vitest';
import { DatabaseServiceConfig, ServiceConfig } from './config.js';
import { helpText } from './help.js';
import { ConfigError, readConfig, secretsIn, type Environment } from './read-config.js';
import { asDuration, asFlag, asInteger, asList, asSecret, asUrl, durationText } from './readers.js';
import { required, Variable } from './variable.js';

class TestConfig extends ServiceConfig {
  @Variable({ name: 'COLOUR', meaning: 'the colour of the shed', expected: 'red or green' })
  @Matches(/^(red|green)$/)
  readonly colour: string = required();

  @Variable({ name: 'PATIENCE', meaning: 'how long it waits', expected: 'a length of time', read: asDuration })
  readonly patience: Duration = minutes(5);

  @Variable({ name: 'PIN', meaning: 'opens the shed', expected: 'a pin', read: asSecret, secret: true, optional: true })
  readonly pin: Secret | undefined = required();

  @Variable({ name: 'DOORS', meaning: 'names of its doors', expected: 'names separated by commas', read: asList })
  readonly doors: readonly string[] = ['front', 'back'];
}

const folder = mkdtempSync(join(tmpdir(), 'windlass-config-'));
const fileWith = (text: string): string => {
  const file = join(folder, String(Math.random()));
  writeFileSync(file, text, { mode: 0o600 });
  return file;
};
const problems = (environment: Environment, type: new () => object = TestConfig): readonly string[] => {
  try {
    readConfig(type, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

describe('the configuration of a service', () => {
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is read once from the environment, in its own types', () => {
    const config = readConfig(TestConfig, { COLOUR: 'red', PATIENCE: '90s', PIN: '1234', DOORS: 'a, b', LOG_LEVEL: 'debug' });
    expect(config).toMatchObject({ colour: 'red', patience: seconds(90), doors: ['a', 'b'], logLevel: 'debug', healthPort: 0 });
    expect(config.pin?.reveal()).toBe('1234');
    expect(config).toBeInstanceOf(TestConfig);
  });

  it('has its defaults where nothing is given, and empty is nothing', () => {
    const config = readConfig(TestConfig, { COLOUR: 'green', PATIENCE: '', PIN: '', LOG_LEVEL: '' });
    expect(config).toMatchObject({ patience: minutes(5), doors: ['front', 'back'], logLevel: 'info', pin: undefined });
  });

  it('is refused with a line for every variable that is wrong', () => {
    expect(problems({ PATIENCE: 'long', DOORS: 'a,,b' })).toEqual([
      'COLOUR is not set; expected red or green',
      'PATIENCE is "long"; expected a length of time',
      'DOORS is "a,,b"; expected names separated by commas',
    ]);
    expect(problems({ COLOUR: 'blue', HEALTH_PORT: '70000' })).toEqual([
      'HEALTH_PORT is "70000"; expected a port between 0 and 65535 (0: a free one, which is logged)',
      'COLOUR is "blue"; expected red or green',
    ]);
    expect(problems({ COLOUR: 'red' })).toEqual([]);
  });

  it('takes secrets from files too, without the line feed at their end', () => {
    expect(readConfig(TestConfig, { COLOUR: 'red', PIN_FILE: fileWith('12\n34\n') }).pin?.reveal()).toBe('12\n34');
    expect(problems({ COLOUR: 'red', PIN_FILE: '/no/such/file' })).toEqual([
      "PIN_FILE names /no/such/file, which can't be read (ENOENT); expected a file with a pin",
    ]);
    expect(problems({ COLOUR: 'red', PIN: '1', PIN_FILE: '/x' })).toEqual(['PIN and PIN_FILE are both given; keep one']);
    expect(problems({ COLOUR: 'red', PIN_FILE: fileWith('\n') })[0]).toContain('which is empty');
  });

  it('shows no secret when it is wrong', () => {
    const wrong = problems({ NATS_URL: 'nats://127.0.0.1:4222', DATABASE_URL: 'mysql://me:hunter2@db/x' }, DatabaseServiceConfig);
    expect(wrong).toEqual(['DATABASE_URL is ***; expected postgres://user:password@host:port/database']);
    const fine = readConfig(DatabaseServiceConfig, {
      NATS_URL: 'nats://a:1,tls://b:2',
      DATABASE_URL: 'postgres://me:hunter2@db/x',
    });
    expect(JSON.stringify(fine)).not.toContain('hunter2');
    expect(secretsIn(fine).map((secret) => secret.reveal())).toEqual(['postgres://me:hunter2@db/x']);
  });

  it.each(['http://a', 'nats://', '127.0.0.1:4222', 'nats://a:1,http://b', 'nats://me:pw@a:1'])(
    'refuses %s as the URL of NATS',
    (url) => {
      const environment = { NATS_URL: url, DATABASE_URL: 'postgres://a/b' };
      expect(problems(environment, DatabaseServiceConfig)[0]).toContain('expected nats://host:port');
    },
  );

  it('explains every variable, its default as one would write it, and no secret', () => {
    const text = helpText({ name: 'shed', version: '1.0.0', description: 'A shed.', config: TestConfig });
    for (const part of [
      'shed 1.0.0\nA shed.',
      'COLOUR\n      the colour of the shed\n      red or green; required',
      'PATIENCE\n      how long it waits\n      a length of time; default: 5m',
      'PIN (or PIN_FILE)\n      opens the shed\n      a pin; optional',
      'default: front,back',
      'default: 127.0.0.1',
    ]) {
      expect(text).toContain(part);
    }
  });
});

describe('readers of variables', () => {
  it.each([
    ['250ms', millis(250)],
    ['30s', seconds(30)],
    ['5m', minutes(5)],
    ['2h', hours(2)],
    ['7d', days(7)],
  ])('take %s as a length of time, and write it so', (text, duration) => {
    expect(asDuration(text)).toBe(duration);
    expect(durationText(duration)).toBe(text);
  });

  it.each(['', '5', '-5s', '5.5s', '1w', 's', '5 s', '99999999999s'])('refuse "%s" as a length of time', (text) => {
    expect(asDuration(text)).toBeUndefined();
  });

  it('are strict', () => {
    expect([asInteger('12'), asInteger('1e3'), asInteger('-1'), asInteger(''), asInteger('0x1')]).toEqual([
      12,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect([asFlag('true'), asFlag('false'), asFlag('yes'), asFlag('toString')]).toEqual([true, false, undefined, undefined]);
    expect([asUrl('http:')('http://a'), asUrl('http:')('ftp://a'), asUrl('http:')('a')]).toEqual([
      'http://a',
      undefined,
      undefined,
    ]);
  });
});
