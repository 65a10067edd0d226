import { describe, expect, it } from 'vitest';
import { ALL_ONLY, asksFor, leftOut, NAMED_ONLY, stagesOf, type TestOptions } from './plan.js';

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
    expect(told({ all: true })).toEqual(['check check check check | unit', 'int e2e openstack-client | lab openstack chaos']);
  });

  it('the command line of OpenStack, and its packages, only where it is asked for', () => {
    const checks = true;
    expect(told({ openstackClient: true })).toEqual(['check check check check | unit', 'int e2e openstack-client | lab']);
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
    expect(told({ checks: false, openstack: true })).toEqual(['unit', 'int e2e | lab openstack']);
  });

  it('leaves out what is slow, with --all what is slowest, and nothing where files or suites are named', () => {
    expect(leftOut({ checks: true }, 'e2e')).toEqual([ALL_ONLY, NAMED_ONLY]);
    expect(leftOut({ checks: true, all: true }, 'e2e')).toEqual([NAMED_ONLY]);
    for (const options of [{ only: ['e2e' as const] }, { filter: 'crash' }, { all: true, filter: 'crash' }])
      expect(leftOut({ checks: true, ...options }, 'e2e')).toEqual([]);
  });

  it('leaves variations on a real Kubernetes out of everything, too, but not where it is named', () => {
    expect(leftOut({ checks: true, all: true, kubernetes: true }, 'kubernetes')).toEqual([ALL_ONLY, NAMED_ONLY]);
    expect(leftOut({ checks: true, only: ['kubernetes'] }, 'kubernetes')).toEqual([]);
  });
});
