import { describe, expect, it } from 'vitest';
import { asksFor, leavesOutSlowest, stagesOf, type TestOptions } from './plan.js';

/** The stages in names: lanes with `|` between them. */
const told = (options: Partial<TestOptions>): string[] =>
  stagesOf({ checks: true, ...options }).map((lanes) =>
    lanes.map((lane) => lane.map((job) => ('suite' in job ? job.suite : 'check')).join(' ')).join(' | '),
  );

describe('what `windlass test` runs beside what', () => {
  it('checks beside unit tests, then the suites, two of them side by side', () => {
    expect(told({})).toEqual(['check check check check | unit', 'int e2e | lab']);
  });

  it('with --all everything', () => {
    expect(told({ all: true })).toEqual([
      'check check check check | unit',
      'int e2e | lab',
      'openstack | chaos openstack-client',
    ]);
  });

  it('the command line of OpenStack, and its packages, only where it is asked for', () => {
    const checks = true;
    expect(told({ openstackClient: true })).toEqual(['check check check check | unit', 'int e2e | lab', 'openstack-client']);
    expect(asksFor({ checks }, 'openstack-client')).toBe(false);
    for (const options of [{ all: true }, { openstackClient: true }, { only: ['openstack-client' as const] }])
      expect(asksFor({ checks, ...options }, 'openstack-client')).toBe(true);
  });

  it('a real Kubernetes by itself, last, and only where it is asked for', () => {
    expect(told({ kubernetes: true })).toEqual(['check check check check | unit', 'int e2e | lab', 'kubernetes']);
    expect(told({ all: true, kubernetes: true }).at(-1)).toBe('kubernetes');
    expect(told({ all: true }).join()).not.toContain('kubernetes');
    expect(told({ only: ['kubernetes'] })).toEqual(['kubernetes']);
  });

  it('suites that are named, without checks; and no checks where none are wanted', () => {
    expect(told({ only: ['chaos', 'unit'] })).toEqual(['unit', 'chaos']);
    expect(told({ checks: false, openstack: true })).toEqual(['unit', 'int e2e | lab', 'openstack']);
  });

  it('leaves out the files for --all, but not where files or suites are named', () => {
    expect(leavesOutSlowest({ checks: true }, 'e2e')).toBe(true);
    for (const options of [{ all: true }, { only: ['e2e' as const] }, { filter: 'crash' }])
      expect(leavesOutSlowest({ checks: true, ...options }, 'e2e')).toBe(false);
  });

  it('leaves those of a real Kubernetes out of everything, too, but not where it is named', () => {
    expect(leavesOutSlowest({ checks: true, all: true, kubernetes: true }, 'kubernetes')).toBe(true);
    expect(leavesOutSlowest({ checks: true, only: ['kubernetes'] }, 'kubernetes')).toBe(false);
  });
});
