import { describe, expect, it } from 'vitest';
import { Turns } from './turns.js';

/** Work that ends when it is told to, and what began so far. */
function stage(options: ConstructorParameters<typeof Turns>[0]) {
  const turns = new Turns(options);
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const ask = (name: string, signal?: AbortSignal): Promise<string> =>
    turns.run(
      name.charAt(0),
      () => {
        begun.push(name);
        return new Promise((resolve, reject) => {
          ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
        });
      },
      signal,
    );
  const end = async (name: string, error?: Error): Promise<void> => {
    ends.get(name)?.(error);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { turns, begun, ask, end };
}

describe('turns of projects', () => {
  it('are given to who has the fewest places: a project that came with much does not keep another waiting', async () => {
    const { turns, begun, ask, end } = stage({ places: 2 });
    const all = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1'].map((name) => ask(name));
    expect(begun).toEqual(['a1', 'a2']);
    await end('a1');
    expect(begun.at(-1)).toBe('b1');
    // Nobody has a place but b; a was there before c.
    await end('a2');
    expect(begun.at(-1)).toBe('a3');
    await end('a3');
    expect(begun.at(-1)).toBe('c1');
    await end('b1');
    expect(begun.at(-1)).toBe('b2');
    await end('c1');
    expect(begun.at(-1)).toBe('a4');
    for (const name of ['a4', 'b2', 'a5']) await end(name);
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1']);
    expect(turns.running).toBe(0);
  });

  it('come back where the work fails', async () => {
    const { turns, begun, ask, end } = stage({ places: 1 });
    const [first, second] = [ask('a1'), ask('a2')];
    const failed = expect(first).rejects.toThrow('broken');
    await end('a1', new Error('broken'));
    await failed;
    expect(begun).toEqual(['a1', 'a2']);
    await end('a2');
    expect(await second).toBe('a2');
    expect(turns.running).toBe(0);
  });

  it('are waited for by so many of a project and no more, whatever others do', async () => {
    const { ask, end } = stage({ places: 1, waitingPerProject: 2 });
    const kept = ['a1', 'a2', 'a3'].map((name) => ask(name));
    await expect(ask('a4')).rejects.toMatchObject({ status: 429, code: 'project.too-many-waiting' });
    kept.push(ask('b1'));
    for (const name of ['a1', 'a2', 'b1', 'a3']) await end(name);
    expect(await Promise.all(kept)).toEqual(['a1', 'a2', 'a3', 'b1']);
  });

  it('are left by who does not want to wait any more, and go to the next', async () => {
    const { turns, begun, ask, end } = stage({ places: 1 });
    const first = ask('a1');
    const gone = new AbortController();
    const left = ask('b1', gone.signal);
    const last = ask('c1');
    const failed = expect(left).rejects.toThrow('not any more');
    gone.abort(new Error('not any more'));
    await failed;
    await end('a1');
    expect(begun).toEqual(['a1', 'c1']);
    await end('c1');
    await Promise.all([first, last]);
    await expect(ask('d1', gone.signal)).rejects.toThrow('not any more');
    expect(turns.running).toBe(0);
  });
});
