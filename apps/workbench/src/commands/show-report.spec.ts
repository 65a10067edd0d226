import { setTimeout as later } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { showReport } from './show-report.js';

describe('a bench', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    process.exitCode = undefined;
  });

  const printed = () => {
    const shown = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    return { shown, told };
  };

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('that %s stops ends with %i, in one line and without a stack', async (name, status) => {
    const { shown, told } = printed();
    const ends = showReport(
      { calledFrom: '/' },
      undefined,
      async ({ signal }) => {
        process.emit(name, name);
        await later(60_000, undefined, { signal });
      },
      () => 'figures',
    );
    await expect(ends).resolves.toBeUndefined();
    expect(process.exitCode).toBe(status);
    expect(shown).not.toHaveBeenCalled();
    expect(told.mock.calls).toEqual([['stopped; what the bench had started is ended\n']]);
  });

  it('that fails by itself says why', async () => {
    printed();
    await expect(showReport({ calledFrom: '/' }, undefined, () => Promise.reject(new Error('no disk')), String)).rejects.toThrow(
      'no disk',
    );
    expect(process.exitCode).toBeUndefined();
  });
});
