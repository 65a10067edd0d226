import { describe, expect, it } from 'vitest';
import { parallel, sequence } from '../plan/plan.js';
import { make, Stage } from '../testing/stage.js';

describe('a lease that ends', () => {
  const lose = async (stage: Stage, stepId = 's') => {
    expect(await stage.claim(stepId)).toMatchObject({ granted: true });
    await stage.pass(stage.policy.lease + 1);
  };

  it('gives the step to whoever claims it next: the same attempt, a higher epoch', async () => {
    const stage = Stage.of(make('s'));
    await stage.begin();
    await lose(stage);
    expect(await stage.claim('s')).toMatchObject({
      granted: true,
      claim: { epoch: 2, attempt: 1, attemptEpoch: 1, resumed: true },
    });
  });

  it('is prolonged by a renewal, from the time of the renewal on', async () => {
    const stage = Stage.of(make('s'));
    await stage.begin();
    await stage.claim('s');
    for (let n = 0; n < 10; n++) {
      await stage.pass(stage.policy.lease - 1);
      expect(await stage.coordinator.renew({ operationId: 'op', stepId: 's', epoch: 1, progress: `${n}` })).toMatchObject({
        verdict: 'journaled',
        leaseFor: stage.policy.lease,
      });
    }
    expect(stage.step('s')).toMatchObject({ state: 'running', progress: '9', losses: 0 });
  });

  it('ends alone: a sibling that was renewed keeps its own', async () => {
    const stage = Stage.of(parallel([make('dead'), make('alive')]));
    await stage.begin();
    await stage.claim('dead');
    await stage.claim('alive');
    stage.journal.pass(stage.policy.lease / 2);
    await stage.coordinator.renew({ operationId: 'op', stepId: 'alive', epoch: 1 });
    await stage.pass(stage.policy.lease / 2 + 1);
    expect(stage.state('dead')).toBe('do ready');
    expect(stage.state('alive')).toBe('do running');
  });

  it('does not refuse its worker as long as nobody has noticed', async () => {
    const stage = Stage.of(make('s'));
    await stage.begin();
    await stage.claim('s');
    stage.journal.pass(stage.policy.lease * 3);
    expect(await stage.say('s', { kind: 'done' })).toBe('journaled');
    expect(stage.operation().status).toBe('completed');
  });

  it('sets the step aside as poison when it happens too often in a row', async () => {
    const stage = Stage.of(make('s'), { maxLosses: 3 });
    await stage.begin();
    await lose(stage);
    await lose(stage);
    expect(stage.operation().status).toBe('running');
    await lose(stage);
    expect(stage.operation()).toMatchObject({
      status: 'suspended',
      failure: { code: 'step.poison', detail: 'set aside: 3 workers of maker were lost while they ran it' },
    });
    await stage.coordinator.retry('op');
    await lose(stage);
    expect(stage.state('s')).toBe('do ready');
  });

  it('does not add up over results: a worker that hands the step back was not lost', async () => {
    const stage = Stage.of(make('s'), { maxLosses: 2 });
    await stage.begin();
    for (let n = 0; n < 5; n++) {
      await lose(stage);
      await stage.run('s', { kind: 'released' });
    }
    await stage.run('s');
    expect(stage.operation().status).toBe('completed');
  });

  it('hands a released step over at once, its attempt going on', async () => {
    const stage = Stage.of(sequence(make('s')));
    await stage.begin();
    await stage.claim('s');
    stage.wakeUps.length = 0;
    await stage.say('s', { kind: 'released' });
    expect(stage.wakeUps).toMatchObject([{ stepId: 's', epoch: 1 }]);
    expect(await stage.claim('s')).toMatchObject({
      granted: true,
      claim: { attempt: 1, attemptEpoch: 1, epoch: 2, resumed: true },
    });
  });
});
