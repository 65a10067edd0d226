import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { millis, seconds } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { SharedQuestions } from './shared-questions.js';

/** Questions that a test answers when it wants. */
class Asked {
  readonly questions: SharedQuestions<string>;
  readonly put: { signal: AbortSignal; answer: (told: string) => void; fail: (error: Error) => void }[] = [];

  constructor(joinedWithin = seconds(60)) {
    this.questions = new SharedQuestions(joinedWithin);
  }

  ask(key = 'a', signal = new AbortController().signal) {
    return this.questions.ask(
      key,
      signal,
      (ends) => new Promise((answer, fail) => void this.put.push({ signal: ends, answer, fail })),
    );
  }
}

describe('questions that many ask at the same time', () => {
  it('are put once, and anew by whoever comes once they are answered', async () => {
    const asked = new Asked();
    const all = [asked.ask(), asked.ask(), asked.ask()];
    const other = asked.ask('b');
    expect(asked.put).toHaveLength(2);
    asked.put[0]!.answer('first');
    expect(await Promise.all(all)).toEqual([
      { answer: 'first', isJoined: false },
      { answer: 'first', isJoined: true },
      { answer: 'first', isJoined: true },
    ]);
    asked.put[1]!.answer('other');
    expect(await other).toEqual({ answer: 'other', isJoined: false });
    const later = asked.ask();
    asked.put[2]!.answer('second');
    expect(await later).toEqual({ answer: 'second', isJoined: false });
  });

  it('fail for all who wait, and are put anew by the next', async () => {
    const asked = new Asked();
    const all = [asked.ask(), asked.ask()];
    asked.put[0]!.fail(new Error('away'));
    for (const each of all) await expect(each).rejects.toThrow('away');
    void asked.ask();
    expect(asked.put).toHaveLength(2);
  });

  it('are put anew by whoever comes while one hangs: its silence holds up only those who came with it', async () => {
    const asked = new Asked(millis(20));
    const hangs = asked.ask();
    await pause(40);
    const later = asked.ask();
    asked.put[1]!.answer('told');
    expect(await later).toEqual({ answer: 'told', isJoined: false });
    asked.put[0]!.answer('late');
    expect(await hangs).toEqual({ answer: 'late', isJoined: false });
  });

  it('go on for those who wait when whoever put them leaves, and end with the last of them', async () => {
    const asked = new Asked();
    const [first, second] = [new AbortController(), new AbortController()];
    const [one, other] = [asked.ask('a', first.signal), asked.ask('a', second.signal)];
    first.abort(new Error('too late'));
    await expect(one).rejects.toThrow('too late');
    expect(asked.put[0]!.signal.aborted).toBe(false);
    second.abort(new Error('too late, too'));
    await expect(other).rejects.toThrow('too late, too');
    await turn();
    expect(asked.put[0]!.signal.aborted).toBe(true);
    const next = asked.ask();
    expect(asked.put).toHaveLength(2);
    asked.put[1]!.answer('anew');
    expect((await next).answer).toBe('anew');
    await expect(asked.ask('a', first.signal)).rejects.toThrow('too late');
  });
});
