import { Secret } from '@windlass/foundation';
import { processorTime } from '@windlass/foundation/testing';
import { describe, expect, it } from 'vitest';
import { printedOutput } from './run-install-script.action.js';

const cluster = { address: '10.0.0.1', port: 6443 } as unknown as Parameters<typeof printedOutput>[1]['cluster'];
const read = (text: string) => printedOutput(new Secret(text), { cluster });
const HASH = 'ab'.repeat(32);

describe('what an install script prints', () => {
  it('is read line by line, with ends of lines of either kind', () => {
    const lines = [
      'noise',
      '  token: abcdef.0123456789abcdef ',
      `SSL_CA_CERT_HASH: sha256:${HASH}`,
      'server:https://10.0.0.9:6443',
    ];
    const facts = { server: 'https://10.0.0.9:6443', join: { token: 'abcdef.0123456789abcdef', caHash: `sha256:${HASH}` } };
    expect(read(lines.join('\n'))).toEqual(facts);
    expect(read(lines.join('\r\n'))).toEqual(facts);
  });

  it.each([
    ['empty lines', '\n'.repeat(1_000_000)],
    ['blanks', `token:${' '.repeat(1_000_000)}x`],
    ['keys', 'token: \n'.repeat(100_000)],
  ])('is searched in no long time where it is a lot of %s', (_, text) => {
    const begun = processorTime();
    expect(read(text)).toBeUndefined();
    expect(processorTime() - begun).toBeLessThan(2_000);
  });
});
