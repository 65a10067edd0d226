import { describe, expect, it } from 'vitest';
import { atOnce, openStackBenchCommand } from './bench-openstack.js';

describe('`bench openstack --beside-bare`', () => {
  it('measures ten at once where no other number is given, and nothing at once without it', () => {
    expect(atOnce({ besideBare: true })).toBe(10);
    expect(atOnce({ besideBare: true, count: 2 })).toBe(2);
    expect(atOnce({ besideBare: true, count: 50 })).toBe(50);
    expect(atOnce({})).toBeUndefined();
  });

  it('refuses a number that says nothing, or that the small OpenStack can’t bear, before anything is started', () => {
    expect(() => atOnce({ count: 10 })).toThrow('--count is of --beside-bare');
    expect(() => atOnce({ besideBare: true, count: 1 })).toThrow('--count 1: from 2 to 50');
    expect(() => atOnce({ besideBare: true, count: 51 })).toThrow('--count 51: from 2 to 50');
  });

  it('is named by --help', () => {
    const help = openStackBenchCommand({ home: '/', calledFrom: '/' } as Parameters<typeof openStackBenchCommand>[0])
      .helpInformation()
      .replaceAll(/\s+/g, ' ');
    for (const option of ['--beside-bare one VM, and several at once', '--count <n> with --beside-bare'])
      expect(help).toContain(option);
  });
});
