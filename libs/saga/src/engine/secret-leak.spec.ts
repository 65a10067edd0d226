import { seconds } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { sequence } from '../plan/plan.js';
import { inline, make, Stage, terminal, transient } from '../testing/stage.js';

const said = (detail: string) => ({ ...terminal, detail });

/** What is kept of an operation's errors. */
const kept = (stage: Stage): string =>
  JSON.stringify([stage.operation().failure, (stage.journal.steps.get('op') ?? []).map(({ error }) => error)]);

async function staged(stage: Stage, act: (stage: Stage) => Promise<void>): Promise<string> {
  stage.hidden = 'hunter2';
  await act(stage);
  const text = kept(stage);
  expect(text).toContain('***');
  return text;
}

describe('an error that quotes a secret of its operation', () => {
  it.each<[string, Stage, (stage: Stage) => Promise<void>]>([
    [
      'of a worker',
      Stage.of(make('s')),
      async (stage) => {
        await stage.begin();
        await stage.fail('s', said('hunter2 was refused'));
      },
    ],
    [
      'of an attempt that is tried again',
      Stage.of(make('s')),
      async (stage) => {
        await stage.begin();
        await stage.fail('s', { ...transient, detail: 'hunter2 is busy' }, { attempts: 3, backoff: seconds(1) });
      },
    ],
    [
      'of a step that was told to end',
      Stage.of(sequence(inline('go', { traits: { inline: true, undoable: false, milestone: 'GO' } }), make('s'))),
      async (stage) => {
        await stage.begin();
        await stage.claim('s');
        await stage.coordinator.cancel('op', 'FORCEFUL');
        await stage.say('s', { kind: 'cancelled', confirmed: false, detail: 'hunter2 did not let us in' });
      },
    ],
    [
      'of an inline step',
      Stage.of(sequence(inline('i'))),
      async (stage) => {
        stage.inlineWork.set('i', () => {
          throw new Error('odd: hunter2');
        });
        await stage.begin();
      },
    ],
    [
      'of a plan that can’t be made',
      new Stage(() => {
        throw new Error('no plan for hunter2');
      }),
      (stage) => stage.begin(),
    ],
    [
      'of an input that can’t be resolved',
      Stage.of(make('s', { input: { x: { $from: 'hunter2' } } })),
      async (stage) => {
        await stage.begin();
        await stage.claim('s');
      },
    ],
  ])('%s is journaled without it', async (_whose, stage, act) => {
    expect(await staged(stage, act)).not.toContain('hunter2');
  });
});
