import { describe, expect, it } from 'vitest';
import { step } from '../testing/steps.js';
import { inTree, OperationModel, OperationsModel } from './steps.js';
import type { Operation } from '../api/types.js';

const idsOf = (steps: readonly { id: string }[]): string[] => steps.map(({ id }) => id);

describe('the steps of an operation', () => {
  it('are a tree from top to bottom, in whatever order the events came', () => {
    const told = [
      step('a'),
      step('c'),
      step('b/2', { parentId: 'b' }),
      step('b', { state: 'expanded' }),
      step('b/1', { parentId: 'b' }),
    ];
    expect(idsOf(inTree(told))).toEqual(['a', 'c', 'b', 'b/2', 'b/1']);
  });

  it('are all there, also those whose parent nobody told, or that stand below themselves', () => {
    expect(idsOf(inTree([step('x', { parentId: 'gone' }), step('y', { parentId: 'y' })]))).toEqual(['x', 'y']);
  });

  it('are what was heard of them last', () => {
    const model = new OperationModel('op');
    model.take([{ event: 'step', data: step('a') }]);
    expect(model.steps[0]?.state).toBe('waiting');
    model.take([
      { event: 'step', data: step('a', { state: 'done' }) },
      { event: 'ready', data: { snapshot: true } },
    ]);
    expect([model.steps.length, model.steps[0]?.state]).toEqual([1, 'done']);
  });
});

describe('the operations of a project', () => {
  it('that have ended do not pile up while somebody looks', () => {
    const model = new OperationsModel();
    const operation = (at: number, operationState: string): Operation => ({
      id: `o${at}`,
      vnfInstanceId: 'i',
      operation: 'HEAL',
      operationState,
      isCancelPending: false,
      stateEnteredTime: '',
      startTime: new Date(at).toISOString(),
      steps: { total: 1, done: 0, undone: 0, running: 0, ready: 0, waiting: 0, failed: 0 },
    });
    model.take([{ event: 'operation', data: operation(1, 'FAILED_TEMP') }]);
    for (let at = 2; at < 100; at++) model.take([{ event: 'operation', data: operation(at, 'COMPLETED') }]);
    expect(model.operations.length).toBe(21);
    expect(model.operations.at(-1)?.operationState).toBe('FAILED_TEMP');
  });
});
