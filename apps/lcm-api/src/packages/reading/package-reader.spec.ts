import { describe, expect, it } from 'vitest';
import { defaultReadingPolicy, PackageReader } from './package-reader.js';

describe('packages that wait to be read', () => {
  it('are taken by projects in turn, and a project with many keeps no other waiting', async () => {
    const reader = new PackageReader({ ...defaultReadingPolicy, atOnce: 1 });
    const begun: string[] = [];
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const seen = new Error('that it was begun is all that is looked at');
    const ask = (name: string, wait?: Promise<void>) =>
      reader.read(
        name.charAt(0),
        {
          begin: async () => {
            begun.push(name);
            await wait;
            throw seen;
          },
          source: { size: 0, read: () => Promise.reject(seen) },
        },
        new AbortController().signal,
      );
    const asked = [ask('a1', opened), ...['a2', 'a3', 'a4', 'b1'].map((name) => ask(name))];
    open();
    expect((await Promise.allSettled(asked)).every((each) => each.status === 'rejected' && each.reason === seen)).toBe(true);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
    await reader.stop();
  });

  it('are left where nobody wants them any more', async () => {
    const reader = new PackageReader({ ...defaultReadingPolicy, atOnce: 1 });
    const begun: string[] = [];
    const read = (name: string, work: Promise<void>, signal: AbortSignal) =>
      reader.read(
        'a',
        { begin: () => (begun.push(name), work), source: { size: 0, read: () => Promise.reject(new Error('gone')) } },
        signal,
      );
    let fail: (error: Error) => void = () => undefined;
    const first = read('first', new Promise<void>((_, reject) => (fail = reject)), new AbortController().signal);
    const stop = new AbortController();
    const second = read('second', Promise.resolve(), stop.signal);
    stop.abort(new Error('deleted'));
    await expect(second).rejects.toThrow('deleted');
    fail(new Error('done'));
    await expect(first).rejects.toThrow('done');
    expect(begun).toEqual(['first']);
    await reader.stop();
  });
});
