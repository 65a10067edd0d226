import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { usageOf } from './processes.js';

describe('what processes use', () => {
  it('is read from /proc, children with their parent', async () => {
    const own = usageOf([{ name: 'own', pid: process.pid }]).own;
    expect(own?.resident).toBeGreaterThan(20);
    expect(own?.peak).toBeGreaterThanOrEqual(own?.resident ?? 0);
    const child = spawn(process.execPath, [
      '-e',
      'const all = Buffer.alloc(200 * 2 ** 20, 1); console.log(all.length); process.stdin.resume()',
    ]);
    try {
      await once(child.stdout, 'data');
      const withChild = usageOf([{ name: 'own', pid: process.pid }]).own;
      expect((withChild?.resident ?? 0) - (own?.resident ?? 0)).toBeGreaterThan(150);
      expect(usageOf([{ name: 'child', pid: child.pid ?? 0 }]).child?.cpu).toBeGreaterThan(0);
      // The bench is the parent of all that it starts: what is told apart is not its own.
      const told = usageOf([
        { name: 'own', pid: process.pid },
        { name: 'child', pid: child.pid ?? 0 },
      ]);
      expect(told.child?.resident).toBeGreaterThan(150);
      expect((told.own?.resident ?? 0) - (own?.resident ?? 0)).toBeLessThan(100);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
  });

  it('is nothing for a process that has ended', () => {
    expect(usageOf([{ name: 'gone', pid: 2 ** 22 + 1 }])).toEqual({ gone: { resident: 0, peak: 0, cpu: 0 } });
  });
});
