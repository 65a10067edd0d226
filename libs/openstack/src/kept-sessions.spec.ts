import { minutes } from '@windlass/foundation';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { OpenStack } from './openstack.js';
import { KeptSessions } from './kept-sessions.js';

describe('sessions that are kept', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
  const opening = () => {
    const closed: string[] = [];
    const open = (name: string) => vi.fn(() => ({ close: () => void closed.push(name) }) as unknown as OpenStack);
    return { closed, open };
  };

  it('are opened once for an access, and anew for another password', () => {
    const kept = new KeptSessions();
    const { open } = opening();
    const [first, second] = [open('first'), open('second')];
    const session = kept.of({ user: 'a', password: 'one' }, first);
    expect(kept.of({ user: 'a', password: 'one' }, second)).toBe(session);
    expect(second).not.toHaveBeenCalled();
    expect(kept.of({ user: 'a', password: 'two' }, second)).not.toBe(session);
  });

  it('are closed when nobody has used them for ten minutes, and all of them in the end', () => {
    const kept = new KeptSessions();
    const { closed, open } = opening();
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    kept.of({ user: 'a' }, open('a'));
    kept.of({ user: 'b' }, open('b'));
    now.mockReturnValue(minutes(9));
    kept.of({ user: 'b' }, open('b'));
    expect(closed).toEqual([]);
    now.mockReturnValue(minutes(11));
    kept.of({ user: 'c' }, open('c'));
    expect(closed).toEqual(['a']);
    kept.close();
    expect(closed).toEqual(['a', 'b', 'c']);
  });

  it('are closed although nobody asks for one any more: passwords do not stay in memory', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const kept = new KeptSessions();
    const { closed, open } = opening();
    kept.of({ user: 'a' }, open('a'));
    await vi.advanceTimersByTimeAsync(minutes(9));
    expect(closed).toEqual([]);
    await vi.advanceTimersByTimeAsync(minutes(2));
    expect(closed).toEqual(['a']);
    expect(vi.getTimerCount()).toBe(0);
  });
});
