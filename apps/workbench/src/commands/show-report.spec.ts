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

  it('that somebody interrupts ends with 130, in words and without a stack', async () => {
    const { shown, told } = printed();
    const ends = showReport(
      { calledFrom: '/' },
      undefined,
      async ({ signal }) => {
        process.emit('SIGINT');
        await later(60_000, undefined, { signal });
      },
      () => 'figures',
    );
    await expect(ends).resolves.toBeUndefined();
    expect(process.exitCode).toBe(130);
    expect(shown).not.toHaveBeenCalled();
    expect(told).toHaveBeenCalledWith('interrupted; what the bench had started is ended\n');
  });

  it('that fails by itself says why', async () => {
    printed();
    await expect(showReport({ calledFrom: '/' }, undefined, () => Promise.reject(new Error('no disk')), String)).rejects.toThrow(
      'no disk',
    );
    expect(process.exitCode).toBeUndefined();
  });
});
