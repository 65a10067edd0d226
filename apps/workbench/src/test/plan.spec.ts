import { describe, expect, it } from 'vitest';
import { asksFor, isGate, stagesOf, type TestOptions } from './plan.js';

/** The stages in names: lanes with `|` between them. */
const told = (options: Partial<TestOptions>): string[] =>
  stagesOf({ checks: true, ...options }).map((lanes) =>
    lanes.map((lane) => lane.map((job) => ('suite' in job ? job.suite : 'check')).join(' ')).join(' | '),
  );

describe('what `windlass test` runs beside what', () => {
  it('checks beside unit tests, then the suites, two of them side by side', () => {
    expect(told({})).toEqual(['check check check check check | unit', 'int | lab e2e']);
  });

  it('with --all everything', () => {
    expect(told({ all: true })).toEqual([
      'check check check check check | unit',
      'int e2e openstack-client | lab openstack chaos',
    ]);
  });

  it('the command line of OpenStack, and its packages, only where it is asked for', () => {
    const checks = true;
    expect(told({ openstackClient: true })).toEqual(['check check check check check | unit', 'int openstack-client | lab e2e']);
    expect(asksFor({ checks }, 'openstack-client')).toBe(false);
    for (const options of [{ all: true }, { openstackClient: true }, { only: ['openstack-client' as const] }])
      expect(asksFor({ checks, ...options }, 'openstack-client')).toBe(true);
  });

  it('a real Kubernetes by itself, last, and only where it is asked for', () => {
    expect(told({ kubernetes: true })).toEqual(['check check check check check | unit', 'int | lab e2e', 'kubernetes']);
    expect(told({ all: true, kubernetes: true }).at(-1)).toBe('kubernetes');
    expect(told({ all: true }).join()).not.toContain('kubernetes');
    expect(told({ only: ['kubernetes'] })).toEqual(['kubernetes']);
  });

  it('containers where they are asked for', () => {
    expect(told({ containers: true })).toEqual(['check check check check check | unit', 'int | lab e2e containers']);
    expect(told({ only: ['containers'] })).toEqual(['containers']);
    expect(told({ all: true, containers: true }).at(-1)).toMatch(/lab openstack chaos containers$/);
    expect(told({ all: true }).join()).not.toContain('containers');
  });

  it('suites that are named, without checks; and no checks where none are wanted', () => {
    expect(told({ only: ['chaos', 'unit'] })).toEqual(['unit', 'chaos']);
    expect(told({ checks: false, openstack: true })).toEqual(['unit', 'int | lab e2e openstack']);
  });

  it('files of suites, and nothing else', () => {
    expect(told({ files: new Map([['lab', ['a.lab.spec.ts']]]), all: true })).toEqual(['lab']);
  });

  it('is the gate, which leaves out what is slow, but where everything, files or suites are asked for', () => {
    expect(isGate({ checks: true, openstack: true })).toBe(true);
    for (const options of [{ all: true }, { only: ['e2e' as const] }, { filter: 'crash' }, { files: new Map() }])
      expect(isGate({ checks: true, ...options })).toBe(false);
  });
});
