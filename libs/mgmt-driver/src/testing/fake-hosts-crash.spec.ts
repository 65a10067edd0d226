import { minutes, seconds } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { cmd } from '../cmd.js';
import { FakeHosts, type FakePoint } from './fake-hosts.js';
import type { FakeClock } from './fake-machine.js';
import { hostRun, nextClaim } from './host-run.js';
import { failureOf } from './hosts-under-test.js';

const target = { resourceId: 'server', address: '192.0.2.1', username: 'ubuntu' };
const within = minutes(5);

/** The death of a worker, which does nothing afterwards. */
class Crash extends Error {}

describe('a worker that dies in a job of the fake', () => {
  for (const point of ['before-start', 'after-start', 'before-after', 'before-finish', 'before-result'] as const) {
    it(`at ${point} leaves what its successor needs to end as if nothing had happened`, async () => {
      const joined: string[] = [];
      const takenBack: string[] = [];
      let crashAt: FakePoint | undefined = point;
      const hosts = new FakeHosts({
        atPoint: (passed) => {
          if (passed !== crashAt) return;
          crashAt = undefined;
          throw new Crash(passed);
        },
      }).on(/^join/, { stdout: 'joined\n', effect: () => void joined.push('node') });
      const run = hostRun();
      const spec = {
        prepare: () => ({ run: cmd`join`, receipt: 'token' }),
        after: () => Promise.resolve(void takenBack.push('token')),
        within,
      };
      await expect(hosts.host(target, run).job('join', spec)).rejects.toBeInstanceOf(Crash);
      const result = await hosts.host(target, nextClaim(run, 'resumed')).job('join', spec);
      expect(result).toMatchObject({ status: 0, stdoutTail: 'joined\n', attached: point !== 'before-start' });
      expect(joined).toEqual(['node']);
      expect(takenBack.length).toBeGreaterThanOrEqual(1);
      expect(hosts.doubled()).toEqual([]);
    });
  }
});

describe('the fake', () => {
  it("runs on a clock of the test's own", async () => {
    let now = 0;
    const clock: FakeClock = {
      now: () => now,
      sleep: (duration, signal) => {
        if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
        now += duration;
        return Promise.resolve();
      },
    };
    const hosts = new FakeHosts({ clock }).on(/^install/, { takes: minutes(20) });
    const job = hosts.host(target, hostRun()).job('install', { run: cmd`install`, within: minutes(45) });
    expect(await job).toMatchObject({ status: 0 });
    expect(now).toBeGreaterThanOrEqual(minutes(20));
  });

  it('tells which processes of a step ran twice at a time', () => {
    const hosts = new FakeHosts();
    const machine = hosts.machine('server');
    const run = hostRun();
    const given = { receipt: undefined, mask: [] };
    machine.start(run, 'work', 'one', { takes: seconds(1) }, given);
    machine.start(run, 'work', 'two', { takes: seconds(1) }, given);
    machine.start({ ...run, stepId: 'other' }, 'work', 'three', { takes: seconds(1) }, given);
    expect(hosts.doubled().map(([one, other]) => [one.command, other.command])).toEqual([['one', 'two']]);
  });

  it('loses what runs when it restarts or goes, and keeps what does not end from being taken for ended', async () => {
    const hosts = new FakeHosts().on(/^work/, { takes: minutes(5) });
    const run = hostRun();
    const job = failureOf(hosts.host(target, run).job('work', { run: cmd`work`, within }));
    await expect.poll(() => hosts.machine('server').running.length, { timeout: 15_000 }).toBe(1);
    hosts.machine('server').stubborn = true;
    expect(await failureOf(hosts.endJobs(target, run))).toMatchObject({ code: 'remote.not-confirmed-stopped' });
    hosts.destroy('server');
    expect(await job).toMatchObject({ code: 'remote.job-lost' });
    expect(hosts.machine('server').running).toEqual([]);
  });

  it('fails a command that nobody scripted as an unknown one', async () => {
    const host = new FakeHosts().host(target, hostRun());
    const failure = await failureOf(host.job('work', { run: cmd`unheard-of --now`, within }));
    expect(failure.message).toContain('exit status 127');
    expect(failure.message).toContain('unheard-of: not found');
  });
});
