import { describe, expect, it } from 'vitest';
import { durationText, planLines } from './plan-lines.js';
import type { PlannedNode, PlannedStep, ReceivedPlan } from './received-plan.js';

const step = (action: string, more: Partial<PlannedStep> = {}): PlannedStep => ({
  kind: 'step',
  id: action,
  action,
  service: 'infra-driver',
  target: null,
  vms: [],
  vim: 'vim-1',
  undoable: false,
  pivot: false,
  duration: { seconds: 2, basedOn: 3 },
  ...more,
});

const shown = (plan: PlannedNode, more: Partial<ReceivedPlan> = {}): string[] =>
  planLines({
    operation: 'SCALE',
    vnfInstanceId: 'vnf-1',
    warnings: [],
    pointOfNoReturn: null,
    vms: { toCome: [], toGo: [] },
    estimate: { seconds: 2, isLowerBound: false },
    plan,
    ...more,
  });

describe('the lines of a plan', () => {
  it('say who does what on what, how long it took, what is taken back and what is not', () => {
    const lines = shown({ kind: 'sequence', of: [step('grant'), step('resize-stack', { target: 'vnf-1', undoable: true })] });
    expect(lines).toEqual([
      'SCALE of vnf-1: 2 steps, about 2.0 s',
      'VIM: vim-1',
      '  · grant  by infra-driver  2.0 s (median of 3)',
      '  ↶ resize-stack vnf-1  by infra-driver  2.0 s (median of 3)',
      '',
      '↶ taken back by a roll-back   · passed over by it',
      'it can be rolled back until it has ended',
      'nothing of it was asked for',
    ]);
  });

  it('show where there is no way back before it is taken', () => {
    const lines = shown(
      { kind: 'sequence', of: [step('grant'), step('delete-stack', { pivot: true })] },
      { pointOfNoReturn: 'delete-stack', vms: { toCome: [], toGo: ['VDU1-1'] }, volumes: { toGo: ['data (4711)'] } },
    );
    expect(lines[2]).toBe('VMs that would go: VDU1-1');
    expect(lines[3]).toBe('volume that would be deleted, with all that is on it: data (4711)');
    expect(lines.slice(5, 7)).toEqual([
      '  --- from here on nothing can be rolled back ---',
      '  · delete-stack  by infra-driver  2.0 s (median of 3)',
    ]);
    expect(lines).toContain('no way back from delete-stack on');
  });

  it('tell what is beside each other from what is in order, and a VM that is to come from one that is there', () => {
    const node = (name: string, action: string): PlannedStep =>
      step(action, { target: name, vms: [{ name, isToCome: true }], duration: null });
    const plan: PlannedNode = {
      kind: 'parallel',
      limit: 2,
      of: [
        { kind: 'sequence', of: [node('w-1', 'prepare'), node('w-1', 'join')] },
        step('power-server', { vms: [{ name: 'w-2', isToCome: false }] }),
      ],
    };
    const lines = shown(
      { kind: 'sequence', of: [step('ask-driver', { id: 'scale_end', hook: { driver: 'd', plan } })] },
      { estimate: { seconds: 2, isLowerBound: true } },
    );
    expect(lines[0]).toBe('SCALE of vnf-1: 4 steps, at least 2.0 s: how long 2 of them take is not known yet');
    expect(lines.slice(2, 8)).toEqual([
      '  · scale_end: plan of d',
      '    side by side, at most 2 at once:',
      '      one after the other:',
      '        · prepare w-1 (to come)  by infra-driver  not known yet',
      '        · join w-1 (to come)  by infra-driver  not known yet',
      '      · power-server  on w-2  by infra-driver  2.0 s (median of 3)',
    ]);
  });

  it('say why a driver has no plan yet, and obey nothing that it wrote', () => {
    const refusal = { code: 'x', detail: 'no\u001b[2J nodes\nyet' };
    const lines = shown({ kind: 'sequence', of: [step('ask-driver', { id: 'heal_end', hook: { driver: 'd', refusal } })] });
    expect(lines[2]).toBe('  · heal_end: plan of d, which can’t be told yet: no[2J nodes yet');
    const none: PlannedNode = { kind: 'sequence', of: [] };
    const empty = shown({ kind: 'sequence', of: [step('ask-driver', { id: 'heal_end', hook: { driver: 'd', plan: none } })] });
    expect(empty[2]).toBe('  · heal_end: plan of d: nothing to do');
  });
});

describe('a duration', () => {
  it.each([
    [0.04, '0.0 s'],
    [59.94, '59.9 s'],
    [59.96, '1 min 0 s'],
    [185.2, '3 min 5 s'],
    [3_599.7, '1 h 0 min'],
    [7_325, '2 h 2 min'],
  ])('of %d seconds is read as %s', (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });
});
