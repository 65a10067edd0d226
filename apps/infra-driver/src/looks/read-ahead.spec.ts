import { millis, seconds, waitUntil } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import type { OpenStack, StackParts } from '@windlass/openstack';
import { ReadAhead, readAheadOf } from './read-ahead.js';

const NOBODY = new AbortController().signal;
const PARTS = { stack: { name: 'vnf-a', id: 'a' } } as StackParts;

describe('what a step begins to read for the next one', () => {
  it('is read once, and taken once, by its key', async () => {
    const ahead = new ReadAhead();
    let reads = 0;
    ahead.begin('op-1 a', () => Promise.resolve(((reads += 1), PARTS)));
    await expect(ahead.take('op-2 a', NOBODY)).resolves.toBeUndefined();
    await expect(ahead.take('op-1 a', NOBODY)).resolves.toBe(PARTS);
    await expect(ahead.take('op-1 a', NOBODY)).resolves.toBeUndefined();
    expect(reads).toBe(1);
  });

  it('is begun sixteen times at once at most: more would not be under the limit of the VIM', async () => {
    const ahead = new ReadAhead();
    let reads = 0;
    const read = (): Promise<StackParts> => Promise.resolve(((reads += 1), PARTS));
    for (let stack = 0; stack < 20; stack++) ahead.begin(`op ${stack}`, read);
    expect([reads, ahead.waiting]).toEqual([16, 16]);
    await expect(ahead.take('op 19', NOBODY)).resolves.toBeUndefined();
    await expect(ahead.take('op 0', NOBODY)).resolves.toBe(PARTS);
    ahead.begin('op 20', read);
    expect(reads).toBe(17);
  });

  it('counts as not begun where it failed: whoever needs it reads, and meets what is wrong', async () => {
    const ahead = new ReadAhead();
    ahead.begin('a', () => Promise.reject(new Error('503')));
    await expect(ahead.take('a', NOBODY)).resolves.toBeUndefined();
  });

  it('is ended and forgotten where nobody comes for it', async () => {
    const ahead = new ReadAhead(millis(20));
    let ended = false;
    ahead.begin(
      'a',
      (signal) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => {
            ended = true;
            reject(signal.reason as Error);
          }),
        ),
    );
    expect(ahead.waiting).toBe(1);
    await waitUntil(() => Promise.resolve(ahead.waiting === 0 || undefined), {
      for: 'it to be forgotten',
      within: seconds(60),
      every: millis(5),
    });
    expect(ended).toBe(true);
    await expect(ahead.take('a', NOBODY)).resolves.toBeUndefined();
  });

  it('ends with the step that waits for it', async () => {
    const ahead = new ReadAhead();
    const untilAborted = (signal: AbortSignal): Promise<StackParts> =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    const stop = new AbortController();
    ahead.begin('a', untilAborted);
    const taking = ahead.take('a', stop.signal);
    stop.abort(new Error('cancelled'));
    await expect(taking).resolves.toBeUndefined();
  });

  it('is of one session: nobody gets what another user of the VIM has read', () => {
    const [one, another] = [{ watch: {} }, { watch: {} }] as unknown as OpenStack[];
    expect(readAheadOf(one!)).toBe(readAheadOf({ watch: one!.watch! }));
    expect(readAheadOf(another!)).not.toBe(readAheadOf(one!));
    expect(readAheadOf({})).toBeUndefined();
  });
});
