import { describe, expect, it } from 'vitest';
import { instantiateAll } from './operations.js';

type Stage = Parameters<typeof instantiateAll>[0];

/** A Windlass that answers no request, and whose operations do not end. */
const silent = (signal: AbortSignal): Stage =>
  ({
    api: { accept: () => new Promise(() => undefined) },
    database: { query: () => Promise.resolve({ rows: [] }) },
    vnfdId: '',
    request: {},
    signal,
  }) as unknown as Stage;

describe('operations of a bench that somebody stops', () => {
  it.each([
    ['while requests are sent', 0],
    ['between two requests', 60_000],
  ])('%s: it is told at once', async (_when, every) => {
    const stop = new AbortController();
    const waiting = instantiateAll(silent(stop.signal), ['a', 'b'], every);
    setTimeout(() => stop.abort(), 20);
    await expect(waiting).rejects.toThrow(/abort/i);
  });
});
