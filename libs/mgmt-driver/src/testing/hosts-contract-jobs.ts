import { millis, minutes, seconds, Secret, waitUntil } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { cmd } from '../cmd.js';
import type { JobOutput } from '../host.js';
import { hostRun, nextClaim } from './host-run.js';
import { failureOf, untilRunning, type HostsUnderTest } from './hosts-under-test.js';

const within = seconds(30);

/** The contract for one job in one run. */
export function describeJobs(make: () => Promise<HostsUnderTest>): void {
  describe('a job', () => {
    it('runs to its end and tells what came of it', async () => {
      const { hosts, target, work, begun } = await make();
      const result = await hosts
        .host(target, hostRun())
        .job('work', { run: work('w', { stdout: 'hello\n', stderr: 'careful\n' }), within });
      expect(result).toMatchObject({
        status: 0,
        stdoutTail: 'hello\n',
        stderrTail: 'careful\n',
        stdoutDropped: 0,
        attached: false,
      });
      expect(new Date(result.endedAt).getTime()).toBeGreaterThanOrEqual(new Date(result.startedAt).getTime());
      expect(await begun('w')).toBe(1);
    });

    it('that fails is a terminal error with host, exit status and last lines', async () => {
      const { hosts, target, work } = await make();
      const failing = { run: work('w', { status: 3, stderr: 'no such package\n' }), within };
      const failure = await failureOf(hosts.host(target, hostRun()).job('install', failing));
      expect(failure).toMatchObject({ name: 'TerminalError', code: 'remote.command-failed' });
      for (const part of ['install', target.address, 'exit status 3', 'no such package']) expect(failure.message).toContain(part);
    });

    it('may end with other exit statuses that are said to be well', async () => {
      const { hosts, target, work } = await make();
      const result = await hosts
        .host(target, hostRun())
        .job('work', { run: work('w', { status: 3 }), within, okStatuses: [0, 3] });
      expect(result.status).toBe(3);
    });

    it('that overruns is ended, seen to be gone, and can be tried again', async () => {
      const { hosts, target, work, running, begun } = await make();
      const slow = { run: work('w', { takes: minutes(10) }), within: seconds(1) };
      const run = hostRun();
      const failure = await failureOf(hosts.host(target, run).job('slow', slow));
      expect(failure).toMatchObject({ name: 'TransientError', code: 'remote.job-timeout' });
      expect(await running('w')).toBe(0);
      // A worker that takes the attempt over hears the same.
      expect(await failureOf(hosts.host(target, nextClaim(run, 'resumed')).job('slow', slow))).toMatchObject({
        code: 'remote.job-timeout',
      });
      expect(await begun('w')).toBe(1);
    });

    it('gets its input, environment and files', async () => {
      const { hosts, target, show } = await make();
      const result = await hosts.host(target, hostRun()).job('show', {
        prepare: async (files) => {
          await files.put('config.yaml', 'from file\n');
          return { run: show(files.path('config.yaml')), env: { TOKEN: `it's "env" $HOME` }, input: 'from input\n' };
        },
        within,
      });
      expect(result.stdoutTail).toBe(`from input\nit's "env" $HOME\nfrom file\n`);
    });

    it('shows no secret that it was given, not even in lines and errors', async () => {
      const { hosts, target, show, work } = await make();
      const [token, input, file] = ['tok-123456', 'in-put-654321', 'key line one\nkey line two\n'].map(
        (value) => new Secret(value),
      );
      const output: JobOutput[] = [];
      const host = hosts.host(target, hostRun());
      const result = await host.job('show', {
        prepare: async (files) => {
          await files.put('key', file!);
          return { run: show(files.path('key')), env: { TOKEN: token! }, input: input! };
        },
        within,
        onOutput: (lines) => output.push(lines),
      });
      const told = JSON.stringify([result, output]);
      expect(told).toContain('***');
      for (const secret of ['tok-123456', 'in-put-654321', 'key line one', 'key line two']) expect(told).not.toContain(secret);
      const failure = await failureOf(
        host.job('fail', { run: work('w', { status: 1, stderr: 'bad token tok-123456\n' }), within }),
      );
      expect(failure.message).toContain('bad token ***');
    });

    it('can keep all its output secret, for the caller alone to read', async () => {
      const { hosts, target, work } = await make();
      const output: JobOutput[] = [];
      const spec = {
        run: work('w', { stdout: 'token: abc\n' }),
        within,
        secretOutput: true,
        onOutput: (lines: JobOutput) => output.push(lines),
      };
      const run = hostRun();
      for (const claim of [run, nextClaim(run, 'resumed')]) {
        const result = await hosts.host(target, claim).job('secret', spec);
        expect(JSON.stringify([result, output])).not.toContain('abc');
        expect(result.secretOutput?.stdout.reveal()).toBe('token: abc\n');
      }
      const failing = { run: work('f', { status: 1, stdout: 'token: abc\n' }), within, secretOutput: true };
      expect((await failureOf(hosts.host(target, run).job('failing', failing))).message).not.toContain('abc');
    });

    it('has a name of its own in a run', async () => {
      const { hosts, target, work } = await make();
      const host = hosts.host(target, hostRun());
      await host.job('work', { run: work('w'), within });
      expect(await failureOf(host.job('work', { run: work('w'), within }))).toMatchObject({ name: 'InvariantError' });
      expect(await failureOf(host.job('../work', { run: work('w'), within }))).toMatchObject({ name: 'InvariantError' });
    });

    it('is not started when the lease is over by the time the order arrives', async () => {
      const { hosts, target, work, begun } = await make();
      const failure = await failureOf(
        hosts.host(target, hostRun({ leaseLeft: () => millis(-5_000) })).job('work', { run: work('w'), within }),
      );
      expect(failure).toMatchObject({ name: 'TransientError', code: 'remote.lease-over' });
      expect(await begun('w')).toBe(0);
    });

    it('is lost when the host restarts under it', async () => {
      const under = await make();
      const { hosts, target, work, begun } = under;
      const run = hostRun();
      const job = failureOf(hosts.host(target, run).job('work', { run: work('w', { takes: minutes(10) }), within }));
      await untilRunning(under, 'w');
      await under.reboot();
      expect(await job).toMatchObject({ name: 'TransientError', code: 'remote.job-lost' });
      const resumed = hosts.host(target, nextClaim(run, 'resumed')).job('work', { run: work('w'), within });
      expect(await failureOf(resumed)).toMatchObject({ code: 'remote.job-lost' });
      expect(await begun('w')).toBe(1);
      await hosts.host(target, nextClaim(nextClaim(run, 'resumed'), 'new-attempt')).job('work', { run: work('w'), within });
      expect(await begun('w')).toBe(2);
    });
  });

  describe('a look', () => {
    it('tells what a command printed, and how it ended', async () => {
      const { hosts, target, work } = await make();
      const host = hosts.host(target, hostRun());
      const look = work('w', { status: 2, stdout: 'a\n', stderr: 'b\n' });
      expect(await host.run(look, { within, expect: 'any' })).toEqual({
        status: 2,
        signal: undefined,
        stdout: 'a\n',
        stderr: 'b\n',
        truncated: false,
      });
      expect(await failureOf(host.run(look, { within }))).toMatchObject({ name: 'TerminalError', code: 'remote.command-failed' });
      expect(await failureOf(host.run(cmd`no-such-program-here`, { within, expect: [0, 1] }))).toMatchObject({
        code: 'remote.command-failed',
      });
    });

    it('does not go on beyond its time', async () => {
      const { hosts, target, work, running } = await make();
      const failure = await failureOf(
        hosts.host(target, hostRun()).run(work('w', { takes: minutes(10) }), { within: millis(500) }),
      );
      expect(failure).toMatchObject({ name: 'TransientError', code: 'remote.look-timeout' });
      // The host ends the job by itself, a moment after it has told us.
      await waitUntil(async () => ((await running('w')) === 0 ? true : undefined), {
        for: 'it to be gone',
        within: seconds(20),
        every: millis(50),
      });
    });

    it('shows the kind of machine', async () => {
      const { hosts, target } = await make();
      expect(await hosts.host(target, hostRun()).facts()).toMatchObject({
        osId: expect.stringMatching(/^[a-z]+$/) as string,
        arch: 'x86_64',
      });
    });
  });
}
