import { describe, expect, it } from 'vitest';
import { sequence } from '../plan/plan.js';
import { make, Stage, terminal, transient } from '../testing/stage.js';

const idle = { ...terminal, nothingDone: true } as const;
const idleForNow = { ...transient, nothingDone: true } as const;
const twice = { attempts: 2, backoff: 0 };

async function failing(extra: Parameters<typeof make>[1] = {}): Promise<Stage> {
  const stage = Stage.of(sequence(make('a'), make('b', extra)));
  await stage.begin();
  await stage.run('a');
  return stage;
}

describe('a step that failed before it changed anything', () => {
  it('is not undone: its VIM may be no more, and what was done before it is taken back all the same', async () => {
    const stage = await failing();
    await stage.fail('b', idle);
    await stage.coordinator.rollback('op');
    expect(stage.ready()).toEqual(['a']);
    await stage.run('a');
    expect(stage.operation().status).toBe('rolled-back');
  });

  it('is not undone either where each of its attempts says so', async () => {
    const stage = await failing();
    await stage.fail('b', idleForNow, twice);
    await stage.fail('b', idle, twice);
    await stage.coordinator.rollback('op');
    expect(stage.ready()).toEqual(['a']);
  });

  it('is undone where an attempt before may have changed something', async () => {
    const stage = await failing();
    await stage.fail('b', transient, twice);
    await stage.fail('b', idle, twice);
    await stage.coordinator.rollback('op');
    expect(stage.ready()).toEqual(['b']);
  });

  it('is undone where a later attempt may have changed something', async () => {
    const stage = await failing();
    await stage.fail('b', idleForNow, twice);
    await stage.fail('b', terminal, twice);
    await stage.coordinator.rollback('op');
    expect(stage.ready()).toEqual(['b']);
  });

  it.each([1, 2])('is undone where a worker was lost in attempt %i, whatever its successor says', async (attempt) => {
    const stage = await failing();
    if (attempt === 2) await stage.fail('b', idleForNow, twice);
    await stage.claim('b');
    await stage.pass(stage.policy.lease + 1);
    await stage.fail('b', idle, twice);
    await stage.coordinator.rollback('op');
    expect(stage.ready()).toEqual(['b']);
  });

  it('is undone where it was retried by a person after an attempt that may have changed something', async () => {
    const stage = await failing();
    await stage.fail('b', terminal);
    await stage.coordinator.retry('op');
    await stage.run('a');
    await stage.fail('b', idle);
    await stage.coordinator.rollback('op');
    expect(stage.ready()).toEqual(['b']);
  });

  it('has not passed the point of no return', async () => {
    const stage = await failing({ traits: { pivot: true } });
    await stage.fail('b', idle);
    await stage.coordinator.rollback('op');
    expect(stage.ready()).toEqual(['a']);
    const passed = await failing({ traits: { pivot: true } });
    await passed.fail('b', terminal);
    await expect(passed.coordinator.rollback('op')).rejects.toMatchObject({ code: 'operation.past-pivot' });
  });
});

describe('an undo that says that nothing was done', () => {
  it('stays to be done: it was the deed that has to be taken back', async () => {
    const stage = await failing();
    await stage.fail('b', terminal);
    await stage.coordinator.rollback('op');
    await stage.fail('b', idle);
    expect(stage.operation().status).toBe('suspended');
    await stage.coordinator.rollback('op');
    expect(stage.ready()).toEqual(['b']);
  });
});
