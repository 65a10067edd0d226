import { getEventListeners } from 'node:events';
import { randomUUID } from 'node:crypto';
import { minutes, seconds, Secret, TransientError } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import type { PreparedJob } from '../host.js';
import { hostRun, nextClaim } from './host-run.js';
import { failureOf, untilRunning, type HostsUnderTest } from './hosts-under-test.js';

const within = seconds(30);
const long = { takes: minutes(10) };

/** A run whose signal a test can abort. */
const detachable = (run = hostRun()) => {
  const detach = new AbortController();
  return {
    run: { ...run, signal: detach.signal },
    loseLease: () => detach.abort(new TransientError('step.stopped', 'lease-lost')),
  };
};

/** The contract for jobs over several claims of a step, and beside other steps. */
export function describeAttempts(make: () => Promise<HostsUnderTest>): void {
  describe('the successor of a lost worker', () => {
    it('attaches to the job that runs, reads it from its beginning, and the lost one is refused', async () => {
      const under = await make();
      const { hosts, target, work, begun } = under;
      const { run, loseLease } = detachable();
      const spec = { run: work('w', { takes: under.visibly, stdout: 'from the beginning\n' }), within };
      const lost = failureOf(hosts.host(target, run).job('work', spec));
      await untilRunning(under, 'w');
      loseLease();
      expect(await lost).toMatchObject({ code: 'step.stopped' });
      const next = nextClaim(run, 'resumed');
      expect(await hosts.host(target, next).job('work', spec)).toMatchObject({
        status: 0,
        attached: true,
        stdoutTail: 'from the beginning\n',
      });
      expect(await begun('w')).toBe(1);
      const staleHost = hosts.host(target, { ...run, signal: next.signal });
      for (const name of ['work', 'other-work']) {
        expect(await failureOf(staleHost.job(name, { run: work('undead'), within }))).toMatchObject({
          name: 'TerminalError',
          code: 'remote.stale-epoch',
        });
      }
      expect(await begun('undead')).toBe(0);
    });

    it('reads the result of a job that has ended meanwhile, good or bad, and runs nothing again', async () => {
      const { hosts, target, work, begun } = await make();
      const run = hostRun();
      await hosts.host(target, run).job('good', { run: work('good', { stdout: 'done\n' }), within });
      await failureOf(hosts.host(target, run).job('bad', { run: work('bad', { status: 4, stdout: 'broken\n' }), within }));
      const host = hosts.host(target, nextClaim(run, 'resumed'));
      expect(await host.job('good', { run: work('good'), within })).toMatchObject({ attached: true, stdoutTail: 'done\n' });
      const failure = await failureOf(host.job('bad', { run: work('bad'), within }));
      expect(failure.message).toContain('exit status 4');
      expect(failure.message).toContain('broken');
      expect([await begun('good'), await begun('bad')]).toEqual([1, 1]);
    });

    it('prepares nothing, and takes back what the lost one made for the start', async () => {
      const under = await make();
      const { hosts, target, work } = under;
      const prepared: string[] = [];
      const takenBack: string[] = [];
      const spec = (worker: string): PreparedJob => ({
        prepare: () => {
          prepared.push(worker);
          return { run: work('w', { takes: under.visibly }), receipt: new Secret('token-id-77') };
        },
        after: (receipt) => Promise.resolve(void takenBack.push(`${worker}: ${receipt.reveal()}`)),
        within,
      });
      const { run, loseLease } = detachable();
      const lost = failureOf(hosts.host(target, run).job('join', spec('first')));
      await untilRunning(under, 'w');
      loseLease();
      await lost;
      expect(takenBack).toEqual([]);
      const next = nextClaim(run, 'resumed');
      await hosts.host(target, next).job('join', spec('second'));
      expect(prepared).toEqual(['first']);
      expect(takenBack).toEqual(['second: token-id-77']);
      await hosts.host(target, nextClaim(next, 'resumed')).job('join', spec('third'));
      expect(takenBack).toEqual(['second: token-id-77']);
    });

    it('takes it back also when the job failed, and tells both when that fails too', async () => {
      const { hosts, target, work } = await make();
      const spec: PreparedJob = {
        prepare: () => ({ run: work('w', { status: 1 }), receipt: 'token-id' }),
        after: () => Promise.reject(new Error('the API is down')),
        within,
      };
      const failure = await failureOf(hosts.host(target, hostRun()).job('join', spec));
      expect(failure).toMatchObject({ code: 'remote.command-failed' });
      expect(failure.message).toContain('the API is down');
    });
  });

  describe('a new attempt', () => {
    it('ends what runs of the earlier one, sees that it is gone, takes back what that was given, and runs anew', async () => {
      const under = await make();
      const { hosts, target, work, begun, running } = under;
      const takenBack: string[] = [];
      const after = (receipt: Secret) => Promise.resolve(void takenBack.push(receipt.reveal()));
      const { run, loseLease } = detachable();
      const old = { prepare: () => ({ run: work('old', long), receipt: 'old-token' }), after, within };
      const lost = failureOf(hosts.host(target, run).job('work', old));
      await untilRunning(under, 'old');
      loseLease();
      await lost;
      const fresh = { prepare: () => ({ run: work('new') }), after, within };
      expect(await hosts.host(target, nextClaim(run, 'new-attempt')).job('work', fresh)).toMatchObject({ attached: false });
      expect([await begun('new'), await running('old')]).toEqual([1, 0]);
      expect(takenBack).toEqual(['old-token']);
    });

    it('runs again what had ended, and whoever watched the earlier one is told', async () => {
      const under = await make();
      const { hosts, target, work, begun } = under;
      const run = hostRun();
      await failureOf(hosts.host(target, run).job('first', { run: work('w', { status: 1 }), within }));
      const watched = failureOf(hosts.host(target, run).job('second', { run: work('s', long), within }));
      await untilRunning(under, 's');
      await hosts.host(target, nextClaim(run, 'new-attempt')).job('first', { run: work('w'), within });
      expect(await begun('w')).toBe(2);
      expect((await watched).code).toMatch(/^remote\.(stale-epoch|job-ended)$/);
    });

    it('of the undo ends what other steps of the operation still do there', async () => {
      const under = await make();
      const { hosts, target, work, running } = under;
      const run = hostRun();
      const doing = failureOf(hosts.host(target, { ...run, stepId: 'one' }).job('work', { run: work('doing', long), within }));
      await untilRunning(under, 'doing');
      await hosts.host(target, { ...run, stepId: 'two', phase: 'undo' }).job('undo', { run: work('undoing'), within });
      expect(await running('doing')).toBe(0);
      expect((await doing).code).toMatch(/^remote\.(stale-epoch|job-ended)$/);
    });
  });

  describe('beside it', () => {
    it('another step of the operation runs on', async () => {
      const under = await make();
      const { hosts, target, work, begun } = under;
      const run = hostRun();
      const one = hosts
        .host(target, { ...run, stepId: 'one' })
        .job('work', { run: work('one', { takes: under.visibly }), within });
      await untilRunning(under, 'one');
      await hosts.host(target, { ...run, stepId: 'two' }).job('work', { run: work('two'), within });
      expect(await one).toMatchObject({ status: 0, attached: false });
      expect([await begun('one'), await begun('two')]).toEqual([1, 1]);
    });

    it('what another operation of the same VNF instance left is ended first, and can start nothing more', async () => {
      const under = await make();
      const { hosts, target, work, running } = under;
      const { run, loseLease } = detachable();
      const lost = failureOf(hosts.host(target, run).job('work', { run: work('old', long), within }));
      await untilRunning(under, 'old');
      loseLease();
      await lost;
      await hosts.host(target, hostRun({ vnfInstanceId: run.vnfInstanceId })).job('work', { run: work('new'), within });
      expect(await running('old')).toBe(0);
      const staleHost = hosts.host(target, { ...run, signal: hostRun().signal });
      expect(await failureOf(staleHost.job('again', { run: work('undead'), within }))).toMatchObject({
        code: 'remote.job-ended',
      });
    });

    it('what another VNF instance does runs on, also when the host is made quiet', async () => {
      const under = await make();
      const { hosts, target, work, running } = under;
      const [mine, others] = [hostRun({ stepId: 'mine' }), detachable()];
      const beside = { ...mine, stepId: 'beside' };
      const ended = failureOf(hosts.host(target, beside).job('work', { run: work('beside', long), within }));
      const detached = failureOf(hosts.host(target, others.run).job('work', { run: work('others', long), within }));
      await untilRunning(under, 'beside');
      await untilRunning(under, 'others');
      await hosts.host(target, mine).quiet();
      expect([await running('beside'), await running('others')]).toEqual([0, 1]);
      expect((await ended).code).toMatch(/^remote\.(stale-epoch|job-ended)$/);
      others.loseLease();
      await detached;
      await hosts.endJobs(target, others.run);
      expect(await running('others')).toBe(0);
    });
  });

  describe('ending the jobs of a step', () => {
    it('ends them, says which, and lets its claims up to then start nothing more', async () => {
      const under = await make();
      const { hosts, target, work, running, begun } = under;
      const run = hostRun();
      const job = failureOf(hosts.host(target, run).job('work', { run: work('w', long), within }));
      await untilRunning(under, 'w');
      expect(await hosts.endJobs(target, run)).toEqual(['work']);
      expect(await running('w')).toBe(0);
      expect(await job).toMatchObject({ name: 'TerminalError', code: 'remote.job-ended' });
      expect(await failureOf(hosts.host(target, run).job('more', { run: work('more'), within }))).toMatchObject({
        code: 'remote.job-ended',
      });
      expect(await begun('more')).toBe(0);
      await hosts.host(target, nextClaim(run, 'new-attempt')).job('work', { run: work('more'), within });
      expect(await begun('more')).toBe(1);
    });

    it('finds none where none was started, and is refused to an old claim', async () => {
      const { hosts, target, work } = await make();
      expect(await hosts.endJobs(target, { operationId: randomUUID(), stepId: 'never', epoch: 3 })).toEqual([]);
      const run = hostRun({ epoch: 5 });
      await hosts.host(target, run).job('work', { run: work('w'), within });
      expect(await failureOf(hosts.endJobs(target, { ...run, epoch: 4 }))).toMatchObject({ code: 'remote.stale-epoch' });
    });

    it('is not confirmed when the host can not be reached', async () => {
      const under = await make();
      await under.cutOff();
      const failure = await failureOf(under.hosts.endJobs(under.target, hostRun()));
      expect(failure).toMatchObject({ name: 'TransientError', code: 'remote.not-confirmed-stopped' });
      const job = under.hosts.host(under.target, hostRun()).job('work', { run: under.work('w'), within });
      expect(await failureOf(job)).toMatchObject({ name: 'TransientError', code: 'remote.unreachable' });
    });
  });

  describe('a race', () => {
    it('of twenty runs of one claim starts one process, and takes back what was prepared in vain', async () => {
      const { hosts, target, work, begun } = await make();
      const run = hostRun();
      const [prepared, takenBack] = [new Set<string>(), new Set<string>()];
      const results = await Promise.all(
        Array.from({ length: 20 }, (_none, index) =>
          hosts.host(target, run).job('work', {
            prepare: () => {
              prepared.add(`token-${index}`);
              return { run: work('w', { takes: seconds(1) }), receipt: `token-${index}` };
            },
            after: (receipt) => Promise.resolve(void takenBack.add(receipt.reveal())),
            within,
          }),
        ),
      );
      expect(await begun('w')).toBe(1);
      expect(results.filter(({ attached }) => !attached)).toHaveLength(1);
      expect([...takenBack].sort()).toEqual([...prepared].sort());
      expect(getEventListeners(run.signal, 'abort')).toEqual([]);
    });

    it('of claims of one attempt starts one process, whoever comes first', async () => {
      const { hosts, target, work, begun } = await make();
      const run = hostRun();
      const claims = Array.from({ length: 20 }, (_none, index) => ({ ...run, epoch: 1 + (index % 10), attemptEpoch: 1 }));
      const ends = await Promise.allSettled(
        claims.map((claim) => hosts.host(target, claim).job('work', { run: work('w', { takes: seconds(1) }), within })),
      );
      expect(await begun('w')).toBe(1);
      const codes = ends.map((end) => (end.status === 'fulfilled' ? 'done' : (end.reason as { code?: string }).code));
      // The highest claim is never refused; a lower claim may have been too late.
      expect(codes.filter((_code, index) => claims[index]?.epoch === 10)).toEqual(['done', 'done']);
      expect(codes.filter((code) => code !== 'done' && code !== 'remote.stale-epoch')).toEqual([]);
    });
  });
}
