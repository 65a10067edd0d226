import { describe, expect, it } from 'vitest';
import { HealthChecks } from './health-checks.js';

describe('the checks of a service', () => {
  it('are ready when all are', async () => {
    const checks = new HealthChecks();
    expect(await checks.look()).toEqual({ ready: true, checks: {} });
    checks.set('a', () => ({ ok: true }));
    checks.set('b', () => Promise.resolve({ ok: true, detail: 'fine' }));
    expect(await checks.look()).toEqual({ ready: true, checks: { a: { ok: true }, b: { ok: true, detail: 'fine' } } });
    checks.set('b', () => ({ ok: false, detail: 'away' }));
    expect(await checks.look()).toMatchObject({ ready: false, checks: { a: { ok: true }, b: { ok: false } } });
  });

  it('fail where one throws or never answers, and the others are told all the same', async () => {
    const checks = new HealthChecks();
    checks.set('throws', () => {
      throw new Error('broken');
    });
    checks.set('rejects', () => Promise.reject(new Error('away')));
    checks.set('hangs', () => new Promise(() => undefined));
    checks.set('fine', () => ({ ok: true }));
    expect(await checks.look()).toEqual({
      ready: false,
      checks: {
        throws: { ok: false, detail: 'broken' },
        rejects: { ok: false, detail: 'away' },
        hangs: { ok: false, detail: 'no answer in 2.0 s' },
        fine: { ok: true },
      },
    });
  });

  it('are not ready once the service stops', async () => {
    const checks = new HealthChecks();
    checks.set('fine', () => ({ ok: true }));
    checks.stop();
    expect(await checks.look()).toMatchObject({ ready: false, checks: { stopping: { ok: false } } });
  });
});
