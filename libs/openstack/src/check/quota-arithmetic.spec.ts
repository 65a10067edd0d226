import { describe, expect, it } from 'vitest';
import { groupMembersFinding, quotaFinding } from './quota-arithmetic.js';

describe('whether a quota is enough', () => {
  const cases: [string, { now: number; most: number }, { limit: number | undefined; used: number }, string, string | undefined][] = [
    ['no limit', { now: 100, most: 200 }, { limit: undefined, used: 5 }, 'ok', undefined],
    ['exactly enough at the largest size', { now: 3, most: 5 }, { limit: 10, used: 5 }, 'ok', undefined],
    ['one too few at the largest size', { now: 3, most: 6 }, { limit: 10, used: 5 }, 'warning', 'openstack quota set --cores 11 p'],
    ['exactly enough at the requested size', { now: 5, most: 6 }, { limit: 10, used: 5 }, 'warning', 'openstack quota set --cores 11 p'],
    ['one too few at the requested size', { now: 6, most: 6 }, { limit: 10, used: 5 }, 'failed', 'openstack quota set --cores 11 p'],
    ['more used than allowed', { now: 1, most: 1 }, { limit: 3, used: 5 }, 'failed', 'openstack quota set --cores 6 p'],
    ['a limit of none', { now: 1, most: 1 }, { limit: 0, used: 0 }, 'failed', 'openstack quota set --cores 1 p'],
  ]; // prettier-ignore

  it.each(cases)('%s', (_title, needed, quota, status, command) => {
    expect(quotaFinding('cores', needed, quota, 'p')).toMatchObject({ check: 'quota.cores', status });
    expect(quotaFinding('cores', needed, quota, 'p').command).toBe(command);
  });

  it('counts members for each group alone', () => {
    expect(groupMembersFinding('g', { now: 3, most: 3 }, 3, 'p').status).toBe('ok');
    expect(groupMembersFinding('g', { now: 3, most: 4 }, 3, 'p').status).toBe('warning');
    expect(groupMembersFinding('g', { now: 4, most: 4 }, 3, 'p').status).toBe('failed');
    expect(groupMembersFinding('g', { now: 4, most: 4 }, undefined, 'p').status).toBe('ok');
  });
});
