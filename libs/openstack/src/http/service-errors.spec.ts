import { Secret } from '@windlass/foundation';
import { processorTime } from '@windlass/foundation/testing';
import { describe, expect, it } from 'vitest';
import { serviceError } from './service-errors.js';

const SECRET = 'gAAAAAB-half-of-this-is-too-much';

const detailOf = (text: string): string =>
  serviceError(
    'Keystone',
    { method: 'POST', url: 'http://127.0.0.1:5000/v3/auth/tokens', secrets: [new Secret(SECRET)] } as Parameters<
      typeof serviceError
    >[1],
    { status: 400, headers: {}, text },
  ).message;

describe('the body of an error that is no JSON', () => {
  it('is told without its tags', () => {
    expect(detailOf('<html><h1>Bad\n  request</h1> </html>')).toMatch(/: Bad request$/);
  });

  it.each([
    ['of tags that never end', '<'.repeat(1_000_000)],
    ['of blanks', ' '.repeat(1_000_000)],
    ['of tags', '<b>'.repeat(300_000)],
  ])('%s takes no long time', (_, text) => {
    const begun = processorTime();
    detailOf(text);
    expect(processorTime() - begun).toBeLessThan(1_000);
  });

  it('tells no part of a secret, wherever the body is cut', () => {
    for (const before of [16_384, 32_768].flatMap((at) => [at - 30, at - 20, at - 10, at - 1]))
      expect(detailOf(`${' '.repeat(before)}${SECRET} ${' '.repeat(40_000)}`)).not.toContain(SECRET.slice(0, 1 + 8));
  });
});
