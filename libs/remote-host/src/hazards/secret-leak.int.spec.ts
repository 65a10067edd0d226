import { readdirSync, statSync } from 'node:fs';
import { seconds, Secret } from '@windlass/foundation';
import { cmd, type HostTarget, type JobOutput } from '@windlass/mgmt-driver';
import { hostRun, nextClaim } from '@windlass/mgmt-driver/testing';
import { failureOf } from '@windlass/mgmt-driver/testing/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lives, readIfThere } from '../testing/contract-rig.js';
import { setScene } from '../testing/scene.js';
import { TestUser } from '../testing/sshd.js';

const scene = setScene();
const within = seconds(30);
let asks: TestUser;
let asksNot: TestUser;

beforeAll(() => {
  asks = new TestUser('password', '/bin/bash');
  asksNot = new TestUser('nopasswd', '/bin/bash');
});
afterAll(() => {
  asks.remove();
  asksNot.remove();
});

const loginOf = (user: TestUser): Partial<HostTarget> => ({ username: user.name, password: user.password });

/** What /proc shows of all processes, looked at again and again until `until` is done. */
async function processesDuring(until: Promise<unknown>) {
  const commandLines = new Set<string>();
  /** Environments with the users they belong to: the kernel lets that user and root read them, nobody else. */
  const environments = new Map<string, number>();
  let done = false;
  const watched = until.finally(() => (done = true));
  const look = (): void => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      commandLines.add(readIfThere(`/proc/${pid}/cmdline`));
      const owner = statSync(`/proc/${pid}/environ`, { throwIfNoEntry: false });
      if (owner !== undefined) environments.set(readIfThere(`/proc/${pid}/environ`), owner.uid);
    }
  };
  await expect.poll(() => (look(), done), { timeout: 25_000, interval: 1 }).toBe(true);
  await watched;
  const owners = (text: string) => new Set([...environments].filter(([all]) => all.includes(text)).map(([, uid]) => uid));
  return { commandLines: [...commandLines].join('\n'), ownersOfEnvironmentsWith: owners };
}

describe('what a job is given', () => {
  it('is in no command line while it starts and runs, and nowhere on the disk when it has ended', async () => {
    const rig = scene.rig(loginOf(asks));
    const values = ['environ', 'stdin', 'file', 'receipt'].map((kind) => `${kind}-${Math.random().toString(36).slice(2)}-secret`);
    const [env, input, file, receipt] = values.map((value) => new Secret(value));
    const output: JobOutput[] = [];
    const job = rig.hosts.host(rig.target, hostRun()).job('leak', {
      prepare: async (files) => {
        await files.put('token', file!);
        const run = cmd`sleep 0.5; ${rig.show(files.path('token'))}; ls -la ${files.path('token')} >&2`;
        return { run, env: { TOKEN: env! }, input: input!, receipt: receipt! };
      },
      within,
      onOutput: (lines) => output.push(lines),
    });
    const { commandLines, ownersOfEnvironmentsWith } = await processesDuring(job);
    const result = await job;
    // What the job itself reads as its environment root may read, whose job it is.
    expect([...ownersOfEnvironmentsWith(values[0]!)]).toEqual([0]);
    for (const value of values.slice(1)) expect([...ownersOfEnvironmentsWith(value)]).toEqual([]);
    expect(result.stderrTail).toMatch(/^-rw------- 1 root root/);
    expect(commandLines).toContain('jobs-');
    const told = JSON.stringify([result, output]);
    for (const secret of [...values, asks.password.reveal()]) {
      for (const [where, text] of Object.entries({ commandLines, contents: rig.contents(), told }))
        expect(text, where).not.toContain(secret);
    }
  });

  it('is hidden from the successor as well, who was told none of it', async () => {
    const rig = scene.rig();
    const run = hostRun();
    const detach = new AbortController();
    const token = new Secret('token-of-the-first-worker');
    const spec = {
      prepare: () => ({ run: cmd`echo "using $TOKEN"; sleep 1; echo "failed with $TOKEN" >&2; exit 9`, env: { TOKEN: token } }),
      within,
    };
    const first = failureOf(rig.hosts.host(rig.target, { ...run, signal: detach.signal }).job('leak', spec));
    await expect.poll(() => rig.contents(), { timeout: 10_000, interval: 20 }).toContain('using token-of');
    detach.abort(new Error('lease lost'));
    await first;
    const output: JobOutput[] = [];
    const second = scene.rig(rig.target, { jobsFolder: rig.jobsFolder, bootIdFile: rig.bootIdFile });
    const onOutput = (lines: JobOutput): void => void output.push(lines);
    const failure = await failureOf(second.hosts.host(rig.target, nextClaim(run, 'resumed')).job('leak', { ...spec, onOutput }));
    expect(failure.message).toContain('failed with ***');
    expect(JSON.stringify([failure.message, output])).not.toContain('first-worker');
    expect(rig.contents()).not.toContain('first-worker');
  });

  it('is gone with a job that was ended, or whose supervisor was killed', async () => {
    const rig = scene.rig();
    const job = (run = hostRun()) => ({
      run,
      result: failureOf(
        rig.hosts.host(rig.target, run).job('leak', {
          prepare: async (files) => {
            await files.put('token', new Secret('a-file-of-the-job'));
            return { run: rig.work('w', { takes: seconds(60) }), env: { TOKEN: new Secret('an-environment-of-the-job') } };
          },
          within,
        }),
      ),
    });
    const [cancelled, orphaned] = [job(), job()];
    await expect.poll(() => rig.pids('w').length, { timeout: 10_000, interval: 20 }).toBe(2);
    expect(rig.contents()).toContain('a-file-of-the-job');
    await rig.hosts.endJobs(rig.target, cancelled.run);
    for (const supervisor of rig.supervisors().filter(lives)) process.kill(supervisor, 'SIGKILL');
    expect((await orphaned.result).code).toBe('remote.job-lost');
    expect((await cancelled.result).code).toBe('remote.job-ended');
    expect(rig.contents()).not.toMatch(/a-file-of-the-job|an-environment-of-the-job/);
  });

  it('is told in no error of a look or a file', async () => {
    const rig = scene.rig(loginOf(asks));
    const secret = new Secret('look-and-file-secret');
    const host = rig.hosts.host(rig.target, hostRun({ secrets: [secret] }));
    const look = await failureOf(host.run(cmd`cat >&2; echo look-and-file-secret; exit 1`, { within, input: asks.password }));
    const file = await failureOf(host.files.put('/proc/look-and-file-secret', secret));
    for (const { message } of [look, file]) {
      expect(message).not.toContain(asks.password.reveal());
      expect(message).not.toContain('look-and-file-secret: ');
    }
    expect(look.message).toContain('***');
  });
});

describe('what a look is given', () => {
  for (const sudo of [false, true]) {
    it(`is in no command line and no environment, nor is its own text, ${sudo ? 'as root' : 'as the login user'}`, async () => {
      const rig = scene.rig(loginOf(asks));
      const text = `text-${Math.random().toString(36).slice(2)}`;
      const input = new Secret(`input-${Math.random().toString(36).slice(2)}`);
      const look = rig.hosts.host(rig.target, hostRun()).run(cmd`read -r got; : ${text}; sleep 0.5; echo "$got"; exit 3`, {
        within,
        sudo,
        input: new Secret(`${input.reveal()}\n`),
        expect: [3],
      });
      const { commandLines, ownersOfEnvironmentsWith } = await processesDuring(look);
      expect((await look).stdout).toBe(`${input.reveal()}\n`);
      expect(commandLines).toContain('timeout');
      for (const secret of [text, input.reveal(), asks.password.reveal()]) {
        expect(commandLines).not.toContain(secret);
        expect([...ownersOfEnvironmentsWith(secret)]).toEqual([]);
      }
    });
  }

  it('arrives whole when its text is longer than an argument may be, and its input is what the command left of it', async () => {
    const rig = scene.rig();
    const long = 'x'.repeat(200_000);
    const host = rig.hosts.host(rig.target, hostRun());
    const { stdout } = await host.run(cmd`printf %s ${long} | wc -c; head -c 5; cat`, { within, input: 'first last\n' });
    expect(stdout).toBe('200000\nfirst last\n');
    expect((await host.run(cmd`cat; echo end`, { within })).stdout).toBe('end\n');
  });
});

describe('the password for sudo', () => {
  for (const name of ['asks', 'asks not'] as const) {
    it(`never reaches the command, whether sudo ${name}`, async () => {
      const rig = scene.rig(loginOf(name === 'asks' ? asks : asksNot));
      const host = rig.hosts.host(rig.target, hostRun());
      const { stdout } = await host.run(cmd`id -u; cat`, { within, sudo: true, input: 'first line\nsecond line\n' });
      expect(stdout).toBe('0\nfirst line\nsecond line\n');
      const asUser = await host.job('who', { run: cmd`id -un; pwd; cat`, within, sudo: false, input: 'input\n' });
      const user = name === 'asks' ? asks : asksNot;
      expect(asUser.stdoutTail).toBe(`${user.name}\n${user.home}\ninput\n`);
    });
  }

  it('that is wrong or missing is told, and tried no second time', async () => {
    const wrong = scene.rig({ username: asks.name, privateKey: scene.sshd.clientKey, password: new Secret('wrong') });
    const missing = scene.rig({ username: asks.name, privateKey: scene.sshd.clientKey });
    for (const rig of [wrong, missing]) {
      const failure = await failureOf(rig.hosts.host(rig.target, hostRun()).run(cmd`id`, { within, sudo: true }));
      expect(failure).toMatchObject({ name: 'TerminalError', code: 'remote.sudo-refused' });
    }
  });

  it('is no help to whoever may not become root', async () => {
    const nobody = new TestUser('no');
    try {
      const rig = scene.rig(loginOf(nobody));
      const failure = await failureOf(rig.hosts.host(rig.target, hostRun()).job('work', { run: cmd`id`, within }));
      expect(failure).toMatchObject({ code: 'remote.sudo-refused', message: expect.stringContaining('sudoers') as string });
    } finally {
      nobody.remove();
    }
  });
});
