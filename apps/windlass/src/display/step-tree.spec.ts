import { describe, expect, it } from 'vitest';
import type { StepView } from '../client/api-client.js';
import { drawOperation, type Canvas, type OperationHead } from './step-tree.js';

const began = '2026-01-01T00:00:00.000Z';
const canvas: Canvas = { width: 80, height: 24, now: Date.parse('2026-01-01T00:00:30.000Z'), colour: false };
const head: OperationHead = { id: 'op-1', operation: 'INSTANTIATE', operationState: 'PROCESSING', startTime: began };

const step = (id: string, more: Partial<StepView> = {}): StepView => ({
  id,
  parentId: null,
  depth: 0,
  action: id,
  version: 1,
  target: null,
  phase: 'do',
  state: 'waiting',
  attempt: 0,
  attemptsAllowed: null,
  waitsFor: [],
  progress: null,
  error: null,
  startedAt: null,
  endedAt: null,
  ...more,
});
const done = (id: string, more: Partial<StepView> = {}): StepView =>
  step(id, { state: 'done', attempt: 1, startedAt: began, endedAt: '2026-01-01T00:00:02.500Z', ...more });
const runs = (id: string, more: Partial<StepView> = {}): StepView =>
  step(id, { state: 'running', attempt: 1, startedAt: began, ...more });
const below = (parentId: string): Partial<StepView> => ({ parentId, depth: 1 });

describe('the tree of an operation', () => {
  it.each([
    ['COMPLETED', '12 s'],
    ['FAILED_TEMP', '12 s'],
    ['ROLLED_BACK', '12 s'],
    ['FAILED', '12 s'],
    ['PROCESSING', '30 s'],
    ['ROLLING_BACK', '30 s'],
  ])('tells how long it took, and of one that goes on how long it takes: %s', (operationState, took) => {
    const stateEnteredTime = '2026-01-01T00:00:12.000Z';
    const [line] = drawOperation({ ...head, operationState, stateEnteredTime }, [], canvas);
    expect(line).toBe(`INSTANTIATE ${operationState}  0 of 0 steps  ${took}  op-1`);
  });

  it('shows what is done, what runs and how far it is, and what the rest waits for', () => {
    const steps = [
      done('create-stack', { target: 'vnf-1' }),
      runs('instantiate_end', { action: 'ask-driver', target: 'mgmt-drivers-kubernetes', state: 'expanded' }),
      runs('e/prepare', { action: 'prepare-node', target: 'master', progress: 'installing', ...below('instantiate_end') }),
      step('e/join', { action: 'join-worker', waitsFor: [{ for: 'step', id: 'e/prepare' }], ...below('instantiate_end') }),
      step('publish', {
        waitsFor: [
          { for: 'step', id: 'a' },
          { for: 'step', id: 'b' },
        ],
      }),
    ];
    expect(drawOperation(head, steps, canvas)).toEqual([
      'INSTANTIATE PROCESSING  1 of 5 steps  30 s  op-1',
      '  ✔ create-stack vnf-1  2.5 s',
      '  ▸ instantiate_end: plan of mgmt-drivers-kubernetes  30.0 s',
      '    ▸ prepare-node master  30.0 s  installing',
      '    · join-worker  after e/prepare',
      '  · publish  after a and 1 more',
    ]);
  });

  it('shows why a step failed or is tried again, what is undone, and why the operation stands', () => {
    const error = { kind: 'transient', code: 'x', detail: 'no route\nto host', status: 503 };
    const steps = [
      step('a', {
        state: 'ready',
        attempt: 2,
        attemptsAllowed: 5,
        error,
        waitsFor: [{ for: 'time', until: '2026-01-01T00:01:00.000Z' }],
      }),
      step('b', { state: 'failed', attempt: 1, attemptsAllowed: 1, error }),
      done('c', { phase: 'undo' }),
      step('d', { state: 'ready', waitsFor: [{ for: 'worker', service: 'infra-driver' }] }),
      step('e', { state: 'ready', waitsFor: [{ for: 'limit', key: 'host:1' }] }),
    ];
    const failed = { ...head, operationState: 'FAILED_TEMP', isCancelPending: true, error: { detail: 'it broke' } };
    expect(drawOperation(failed, steps, canvas)).toEqual([
      'INSTANTIATE FAILED_TEMP, cancel pending  1 of 5 steps  30 s  op-1',
      '  ◦ a  attempt 2 of 5  no route to host',
      '  ✘ b  no route to host',
      '  ↶ undo c  2.5 s',
      '  ◦ d  waits for a worker of infra-driver that has d@1',
      '  ◦ e  waits for a place: host:1',
      '  it broke',
    ]);
  });

  it('fits: folds plans that are done, then leaves out what only waits', () => {
    const plan = Array.from({ length: 20 }, (_, n) => done(`h/${n}`, below('h')));
    const folded = drawOperation(head, [done('h'), ...plan, runs('next')], { ...canvas, height: 10 });
    expect(folded.slice(1)).toEqual(['  ✔ h  2.5 s  20 steps', '  ▸ next  30.0 s']);
    const many = [...Array.from({ length: 40 }, (_, n) => step(`w${n}`)), runs('now')];
    const cut = drawOperation(head, many, { ...canvas, height: 10 });
    expect(cut.length).toBeLessThanOrEqual(10);
    expect(cut.join('\n')).toContain('▸ now');
    expect(cut.at(-1)).toContain('more');
  });

  it('never writes beyond a line, and never what orders the terminal about', () => {
    const hostile = runs('a', { target: '\u001b[2J\u0007\u202e', progress: 'x'.repeat(500) });
    for (const width of [1, 20, 80]) {
      const lines = drawOperation(head, [hostile], { ...canvas, width });
      for (const line of lines) expect(Array.from(line).length).toBeLessThanOrEqual(width);
      expect(lines.join('')).not.toMatch(/\p{Cc}|\p{Cf}/u);
    }
  });

  it('is coloured only where the terminal has colours', () => {
    expect(drawOperation(head, [done('a')], { ...canvas, colour: true }).join('')).toContain('\u001b[32m✔'.slice(0, 5));
    expect(drawOperation(head, [done('a')], canvas).join('')).not.toContain('\u001b');
  });
});
