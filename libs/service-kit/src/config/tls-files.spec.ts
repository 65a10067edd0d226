import { describe, expect, it } from 'vitest';
import { isExposed } from './tls-files.js';

describe('a private key whose file others may read', () => {
  it.each([
    ['its owner alone reads', 1000, 0o600, false],
    ['its group reads', 1000, 0o640, true],
    ['everybody reads', 1000, 0o604, true],
    ['root owns and its group reads, as a Secret in a pod', 0, 0o440, false],
    ['root owns and its group writes', 0, 0o660, true],
    ['root owns and everybody reads', 0, 0o644, true],
  ])('is told of one that %s', (_, uid, mode, is) => {
    expect(isExposed({ uid, mode: 0o100000 | mode })).toBe(is);
  });
});
