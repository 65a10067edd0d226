import { RequestError } from '@windlass/foundation';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LCM_OPERATION_TYPES_V2 } from '../operations/operations.js';
import { LCM_OPERATION_STATES } from '../types/enumerations.js';
import {
  advance,
  firstStanding,
  initialState,
  isFinal,
  isRunning,
  nextState,
  OP_OCC_EVENTS,
  OPERATION_RULES,
  requestCancel,
  requireInstantiationState,
  requireTask,
  StateConflict,
  statesWith,
  tasksNow,
  type OpOccEvent,
  type Standing,
} from './state-machine.js';

/** The figure of SOL003 5.6.2.2 once more, as a list of arrows, to hold the table against. */
const ARROWS = [
  'STARTING granted PROCESSING',
  'STARTING refused ROLLED_BACK',
  'STARTING cancel STARTING',
  'STARTING cancelled ROLLED_BACK',
  'PROCESSING succeeded COMPLETED',
  'PROCESSING failed FAILED_TEMP',
  'PROCESSING cancel PROCESSING',
  'PROCESSING cancelled FAILED_TEMP',
  'ROLLING_BACK succeeded ROLLED_BACK',
  'ROLLING_BACK failed FAILED_TEMP',
  'ROLLING_BACK cancel ROLLING_BACK',
  'ROLLING_BACK cancelled FAILED_TEMP',
  'FAILED_TEMP retry PROCESSING',
  'FAILED_TEMP rollback ROLLING_BACK',
  'FAILED_TEMP fail FAILED',
];

const refusal = (run: () => unknown): RequestError => {
  try {
    run();
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
  throw new Error('was accepted');
};

const act = (standing: Standing, event: OpOccEvent, mode: 'GRACEFUL' | 'FORCEFUL' = 'GRACEFUL'): Standing =>
  event === 'cancel' ? requestCancel(standing, mode) : advance(standing, event);

describe.each(LCM_OPERATION_TYPES_V2)('%s', (operation) => {
  it('has exactly the transitions of the standard, and refuses any other with 409', () => {
    for (const state of LCM_OPERATION_STATES) {
      for (const event of OP_OCC_EVENTS) {
        const arrow = ARROWS.find((one) => one.startsWith(`${state} ${event} `));
        if (arrow === undefined) {
          const error = refusal(() => nextState(operation, state, event));
          expect(error).toBeInstanceOf(StateConflict);
          expect(error).toMatchObject({ status: 409, code: 'op-occ.wrong-state', state, event, operation });
        } else {
          expect(nextState(operation, state, event)).toBe(arrow.split(' ')[2]);
        }
      }
    }
  });

  it('comes to an end from everywhere it can get to', () => {
    const reached = new Set([initialState(operation)]);
    for (const state of reached) {
      for (const event of OP_OCC_EVENTS) {
        if (statesWith(event).includes(state)) reached.add(nextState(operation, state, event));
      }
    }
    const leadsToEnd = (state: (typeof LCM_OPERATION_STATES)[number], seen: string[]): boolean =>
      isFinal(state) ||
      OP_OCC_EVENTS.some((event) => {
        if (!statesWith(event).includes(state)) return false;
        const next = nextState(operation, state, event);
        return !seen.includes(next) && leadsToEnd(next, [...seen, next]);
      });
    for (const state of reached) expect(leadsToEnd(state, [state])).toBe(true);
    expect(reached.has('STARTING')).toBe(operation !== 'MODIFY_INFO');
  });
});

describe('a random life of an operation', () => {
  it('keeps the promises of the standard', () => {
    const life = fc.record({
      operation: fc.constantFrom(...LCM_OPERATION_TYPES_V2),
      events: fc.array(fc.tuple(fc.constantFrom(...OP_OCC_EVENTS), fc.constantFrom('GRACEFUL' as const, 'FORCEFUL' as const)), {
        maxLength: 30,
      }),
    });
    fc.assert(
      fc.property(life, ({ operation, events }) => {
        let standing = firstStanding(operation);
        let cancelledInStarting = false;
        for (const [event, mode] of events) {
          const before = standing;
          try {
            standing = act(before, event, mode);
          } catch (error) {
            expect(error).toBeInstanceOf(StateConflict);
            continue;
          }
          expect(isFinal(before.operationState)).toBe(false);
          expect(standing.cancelMode !== undefined).toBe(standing.isCancelPending);
          if (standing.isCancelPending) expect(isRunning(standing.operationState)).toBe(true);
          if (before.cancelMode === 'FORCEFUL' && standing.isCancelPending) expect(standing.cancelMode).toBe('FORCEFUL');
          cancelledInStarting ||= event === 'cancel' && before.operationState === 'STARTING';
          if (cancelledInStarting) expect(['STARTING', 'ROLLED_BACK']).toContain(standing.operationState);
          expect(tasksNow(before).includes(event as 'retry')).toBe(['retry', 'rollback', 'fail', 'cancel'].includes(event));
        }
      }),
    );
  });
});

describe('cancel', () => {
  const starting = firstStanding('HEAL');
  const processing = advance(starting, 'granted');
  const rollingBack = advance(advance(processing, 'failed'), 'rollback');

  it('in STARTING ends ROLLED_BACK without PROCESSING', () => {
    const pending = requestCancel(starting, 'GRACEFUL');
    expect(pending).toEqual({ operation: 'HEAL', operationState: 'STARTING', isCancelPending: true, cancelMode: 'GRACEFUL' });
    expect(refusal(() => advance(pending, 'granted'))).toBeInstanceOf(StateConflict);
    expect(advance(pending, 'cancelled')).toEqual({ operation: 'HEAL', operationState: 'ROLLED_BACK', isCancelPending: false });
  });

  it('in PROCESSING and ROLLING_BACK ends FAILED_TEMP once the work has stopped', () => {
    for (const running of [processing, rollingBack]) {
      const pending = requestCancel(running, 'FORCEFUL');
      expect(pending.operationState).toBe(running.operationState);
      expect(advance(pending, 'cancelled')).toEqual({ operation: 'HEAL', operationState: 'FAILED_TEMP', isCancelPending: false });
    }
  });

  it('comes too late for work that has ended meanwhile', () => {
    expect(advance(requestCancel(processing, 'FORCEFUL'), 'succeeded').operationState).toBe('COMPLETED');
    expect(advance(requestCancel(rollingBack, 'FORCEFUL'), 'succeeded').operationState).toBe('ROLLED_BACK');
  });

  it('may be made harder, and not softer again', () => {
    const forceful = requestCancel(requestCancel(processing, 'GRACEFUL'), 'FORCEFUL');
    expect(forceful.cancelMode).toBe('FORCEFUL');
    expect(requestCancel(forceful, 'GRACEFUL').cancelMode).toBe('FORCEFUL');
  });

  it('is never over before it began', () => {
    expect(refusal(() => advance(processing, 'cancelled')).message).toContain('nobody asked');
  });
});

describe('tasks', () => {
  const failedTemp = advance(advance(firstStanding('TERMINATE'), 'granted'), 'failed');
  const pivot = { pastPivot: 'the deletion of the stack' };

  it('are those of the state', () => {
    expect(tasksNow(firstStanding('SCALE'))).toEqual(['cancel']);
    expect(tasksNow(failedTemp)).toEqual(['retry', 'rollback', 'fail']);
    expect(tasksNow(advance(failedTemp, 'fail'))).toEqual([]);
  });

  it('do not include rolling back past the pivot, and the refusal names it', () => {
    expect(tasksNow(failedTemp, pivot)).toEqual(['retry', 'fail']);
    expect(refusal(() => requireTask(failedTemp, 'rollback', pivot))).toMatchObject({ status: 409, code: 'op-occ.past-pivot' });
    expect(refusal(() => requireTask(failedTemp, 'rollback', pivot)).message).toContain(pivot.pastPivot);
    expect(() => requireTask(failedTemp, 'retry', pivot)).not.toThrow();
    expect(() => requireTask(failedTemp, 'rollback')).not.toThrow();
  });

  it('that an operation does not have at all are 404 in every state, and no link', () => {
    const limits = { tasks: ['retry', 'fail'] as const };
    for (const standing of [firstStanding('HEAL'), failedTemp]) {
      expect(refusal(() => requireTask(standing, 'rollback', limits))).toMatchObject({
        status: 404,
        code: 'op-occ.no-such-task',
      });
      expect(refusal(() => requireTask(standing, 'cancel', limits)).status).toBe(404);
    }
    expect(tasksNow(failedTemp, limits)).toEqual(['retry', 'fail']);
  });

  it('in the wrong state are 409 and say which state would do', () => {
    const error = refusal(() => requireTask(firstStanding('SCALE'), 'retry'));
    expect(error.status).toBe(409);
    expect(error.message).toBe('retry is not possible in STARTING; expected FAILED_TEMP');
  });
});

describe('requireInstantiationState', () => {
  it('lets every operation start where its rule says', () => {
    for (const operation of LCM_OPERATION_TYPES_V2) {
      for (const state of ['NOT_INSTANTIATED', 'INSTANTIATED'] as const) {
        const allowed = operation === 'MODIFY_INFO' || (operation === 'INSTANTIATE') === (state === 'NOT_INSTANTIATED');
        expect(OPERATION_RULES[operation].startsIn.includes(state)).toBe(allowed);
        if (allowed) expect(() => requireInstantiationState(operation, state)).not.toThrow();
        else expect(refusal(() => requireInstantiationState(operation, state)).status).toBe(409);
      }
    }
  });
});
