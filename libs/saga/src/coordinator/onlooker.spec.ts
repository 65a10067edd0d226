import { describe, expect, it } from 'vitest';
import { make, Stage } from '../testing/stage.js';

describe('an onlooker of coordinators', () => {
  it('is told of each lease that ran out, as the claim stood, and of the end, once', async () => {
    const stage = Stage.of(make('s'));
    await stage.begin();
    for (let n = 0; n < 2; n++) {
      await stage.claim('s');
      await stage.pass(stage.policy.lease + 1);
    }
    expect(stage.told).toEqual([expect.stringMatching(/^lost s 1 of .+/), expect.stringMatching(/^lost s 2 of .+/)]);
    await stage.claim('s');
    await stage.say('s', { kind: 'done' });
    await stage.say('s', { kind: 'done' });
    expect(stage.told.slice(2)).toEqual(['ended completed']);
  });

  it('is told of an operation that a person ends', async () => {
    const stage = Stage.of(make('s'));
    await stage.begin();
    await stage.run('s', {
      kind: 'failed',
      error: { kind: 'terminal', code: 'a.b', detail: 'no', status: 500 },
      retry: { attempts: 1, backoff: 0 },
    });
    expect(stage.told).toEqual([]);
    await stage.coordinator.abandon('op');
    expect(stage.told).toEqual(['ended abandoned']);
  });
});
