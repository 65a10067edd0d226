import { TerminalError } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { reportError } from '../engine/error-report.js';
import { NothingDone } from '../engine/nothing-done.js';
import { throughFence } from './fence.js';

const refused = new TerminalError('vim.login-refused', 'the VIM lets nobody in');
const leaseThat = (holds: boolean) => ({
  asserted: 0,
  assertLease() {
    this.asserted += 1;
    if (!holds) throw new Error('lost');
  },
});

describe('work through a fence', () => {
  it('that fails before its first change has done nothing', async () => {
    const thrown = await throughFence(leaseThat(true), () => Promise.reject(refused)).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(NothingDone);
    expect((thrown as NothingDone).error).toBe(refused);
  });

  it('that fails after a change may have done something', async () => {
    const work = throughFence(leaseThat(true), (run) => {
      run.assertLease();
      return Promise.reject(refused);
    });
    await expect(work).rejects.toBe(refused);
  });

  it('whose lease is lost before its first change has done nothing', async () => {
    const work = throughFence(leaseThat(false), (run) => Promise.resolve(run.assertLease()));
    await expect(work).rejects.toBeInstanceOf(NothingDone);
  });

  it('that has failed lets nothing more through, though a part of it still runs', async () => {
    const lease = leaseThat(true);
    let late: (() => void) | undefined;
    const work = throughFence(lease, async (run) => {
      const beside = new Promise<void>((resolve) => (late = resolve)).then(() => run.assertLease());
      await Promise.all([Promise.reject(refused), beside]);
    });
    await expect(work).rejects.toBeInstanceOf(NothingDone);
    late?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(lease.asserted).toBe(0);
  });

  it('that looked before, and changed something by that, may have done something', async () => {
    const run = leaseThat(true);
    await throughFence(run, (looking) => Promise.resolve(looking.assertLease()));
    await expect(throughFence(run, () => Promise.reject(refused))).rejects.toBe(refused);
  });

  it('that goes well returns what it made', async () => {
    expect(await throughFence(leaseThat(true), () => Promise.resolve('made'))).toBe('made');
  });

  it('is reported by what it failed of, wherever it is reported', async () => {
    const thrown = await throughFence(leaseThat(true), () => Promise.reject(refused)).catch((error: unknown) => error);
    const { code, detail } = reportError(refused);
    expect(reportError(thrown)).toMatchObject({ kind: 'terminal', code, detail, nothingDone: true });
    expect(reportError(refused)).not.toHaveProperty('nothingDone');
  });
});
