import { parallel } from '../plan/plan.js';
import { make, Stage } from '../testing/stage.js';
import { describe, expect, it } from 'vitest';
import { JOURNAL_VERSION } from './journal-version.js';

describe('the sweep', () => {
  it('begins what was accepted though its wake-up was never heard', async () => {
    const stage = Stage.of(make('a'));
    stage.journal.accept({ id: 'op' });
    expect(await stage.coordinator.sweep()).toBe(1);
    expect(stage.wakeUps).toMatchObject([{ stepId: 'a', epoch: 0 }]);
  });

  it('looks after all others when one operation can’t be moved, and then says so', async () => {
    const stage = Stage.of(make('a'));
    for (const id of ['one', 'two', 'three']) stage.journal.accept({ id });
    const transact = stage.journal.transact.bind(stage.journal);
    stage.journal.transact = (id, work) => (id === 'two' ? Promise.reject(new Error('two can’t be read')) : transact(id, work));
    await expect(stage.coordinator.sweep()).rejects.toThrow('two can’t be read');
    expect(stage.operation('one').status).toBe('running');
    expect(stage.operation('three').status).toBe('running');
  });

  it('sends every wake-up at once when the streams were lost', async () => {
    const stage = Stage.of(parallel([make('a'), make('b'), make('c')]));
    await stage.begin('one');
    await stage.begin('two');
    await stage.claim('b', { operationId: 'two' });
    stage.wakeUps.length = 0;
    await stage.coordinator.wakeAll();
    expect(stage.wakeUps.map(({ operationId, stepId }) => `${operationId} ${stepId}`)).toEqual([
      'one a',
      'one b',
      'one c',
      'two a',
      'two c',
    ]);
  });

  it('ends an operation that can’t be planned as rolled back, with the reason', async () => {
    const stage = new Stage(() => {
      throw new Error('no such flavour');
    });
    await stage.begin();
    expect(stage.operation()).toMatchObject({ status: 'rolled-back', failure: { detail: 'Error: no such flavour' } });
  });

  it('leaves an operation of a newer release alone, and so do all other moves', async () => {
    const stage = Stage.of(make('a'));
    stage.journal.accept({ id: 'op', journalVersion: JOURNAL_VERSION + 1 });
    await stage.coordinator.sweep();
    expect(stage.operation().status).toBe('accepted');
    const newer = { code: 'operation.newer-journal' };
    await expect(stage.coordinator.begin('op')).rejects.toMatchObject(newer);
    await expect(stage.coordinator.cancel('op', 'GRACEFUL')).rejects.toMatchObject(newer);
    const result = { operationId: 'op', stepId: 'a', epoch: 1, outcome: { kind: 'done' } } as const;
    await expect(stage.coordinator.result(result)).rejects.toMatchObject(newer);
  });
});
