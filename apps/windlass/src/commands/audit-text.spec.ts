import { describe, expect, it } from 'vitest';
import { auditText, differs, looked, type CleanUp, type Finding, type Report } from './audit-text.js';

const report = (more: Partial<Report> = {}): Report => ({
  at: '2026-01-01T00:00:00.000Z',
  vims: [{ id: 'v1', name: 'lab' }],
  orphans: [],
  missing: [],
  foreign: [],
  differences: [],
  unclaimed: [],
  busy: [],
  waiting: [],
  cleanUps: [],
  ...more,
});

const stack: Finding = { vimId: 'v1', type: 'stack', id: 's1', name: 'vnf-a', vnfInstanceId: 'a', detail: 'nobody has it' };
const cleanUp = (more: Partial<CleanUp> = {}): CleanUp => ({
  id: 'c',
  state: 'DONE',
  attempts: 0,
  stack: 'vnf-a',
  images: [],
  ...more,
});

describe('what an audit tells', () => {
  it('says so in one sentence when all is well', () => {
    expect(auditText(report(), [])).toContain('the VIMs hold what the database says');
    expect(differs(report(), [])).toBe(false);
  });

  it('names an orphan with its VIM, its id and its instance', () => {
    expect(auditText(report({ orphans: [stack] }), [])).toMatch(/lab {2}stack {2}vnf-a {2}s1 .*VNF instance a/);
    expect(differs(report({ orphans: [stack] }), [])).toBe(true);
  });

  it('takes orphans that its clean-ups removed for no difference, and those that stayed for one', () => {
    const fixed = report({ orphans: [stack], cleanUps: ['c'] });
    expect(differs(fixed, [cleanUp()])).toBe(false);
    expect(differs(fixed, [cleanUp({ state: 'PENDING', attempts: 1 })])).toBe(true);
    expect(auditText(fixed, [cleanUp({ state: 'PENDING', error: { status: 503, detail: 'the VIM is away' } })])).toContain(
      'not yet: the VIM is away',
    );
    expect(differs(report({ orphans: [stack, { ...stack, id: 's2' }] }), [cleanUp()])).toBe(true);
  });

  it('does not count what belongs to no deployment of ours', () => {
    expect(differs(report({ unclaimed: [stack] }), [])).toBe(false);
  });

  it('says which VIM could not be looked at, and nothing that sounds like a clean one', () => {
    const blind = report({ vims: [{ id: 'v1', name: 'lab', failure: 'it does not answer' }] });
    expect(looked(blind)).toBe(false);
    expect(auditText(blind, [])).toBe('VIM lab: could not be looked at: it does not answer');
  });

  it('shows a clean-up that fails with its reason and its next attempt', () => {
    const waiting: Report['waiting'] = [
      { id: 'c', kind: 'CLEAN_UP', vnfInstanceId: 'a', state: 'PENDING', attempts: 3, retryAt: 'soon', error: 'refused' },
    ];
    expect(auditText(report({ waiting }), [])).toContain(
      'c  CLEAN_UP  tried 3 times, again at soon: refused\n  (one that can never be done, its VIM is no more: ./windlass vnf clean-up give-up <id>)',
    );
    expect(differs(report({ waiting }), [])).toBe(true);
  });
});
