import { minutes } from '@windlass/foundation';
import type { MessagingLog } from '@windlass/messaging';
import type { Chained } from '@windlass/persistence';
import { describe, expect, it } from 'vitest';
import { TrailChainer } from './trail-chainer.js';

/** A chainer over looks that come to this, what it logs, and a clock. */
function chainerOver(looks: readonly Partial<Chained>[]) {
  const logged: string[] = [];
  const say =
    (level: string) =>
    (message: string, fields?: Readonly<Record<string, unknown>>): void =>
      void logged.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const log: MessagingLog = { info: say('info'), warn: say('warn'), error: say('error') };
  const left = [...looks];
  const clock = { now: 0 };
  const append = (): Promise<Chained> =>
    Promise.resolve({ entries: 0, full: false, head: undefined, troubles: [], ...left.shift() });
  return { chainer: new TrailChainer({ append }, log, minutes(10), () => clock.now), logged, left, clock };
}

describe('a coordinator that chains the audit trail', () => {
  it('tells the log where the chain stands: at first, then each ten minutes where it moved', async () => {
    const { chainer, logged, clock } = chainerOver(['1:a', '2:b', '2:b', '3:c', '3:c'].map((head) => ({ head })));
    const heads = async (): Promise<string[]> => {
      await chainer.sweep();
      return logged.splice(0).map((line) => /"head":"(.*)"/.exec(line)?.[1] ?? line);
    };
    expect(await heads()).toEqual(['1:a']);
    expect(await heads()).toEqual([]);
    clock.now = minutes(10);
    expect(await heads()).toEqual(['2:b']);
    clock.now = minutes(20);
    expect(await heads()).toEqual(['3:c']);
    clock.now = minutes(30);
    expect(await heads()).toEqual([]);
  });

  it('goes on while there is more, but not for ever, so that it ends when it is told to', async () => {
    const { chainer, left } = chainerOver(Array.from({ length: 50 }, () => ({ full: true })));
    await chainer.sweep();
    expect(left).toHaveLength(30);
  });

  it('says aloud that the chain is not what it was', async () => {
    const { chainer, logged } = chainerOver([{ troubles: ['link 4 of the audit trail is gone'] }]);
    await chainer.sweep();
    expect(logged).toEqual([expect.stringMatching(/^error the audit trail was tampered with.*link 4 .* is gone/)]);
  });
});
