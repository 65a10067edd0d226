import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { millis, minutes, seconds, Secret, type Duration } from '@windlass/foundation';
import { cmd, type HostRun, type HostTarget } from '@windlass/mgmt-driver';
import { hostRun } from '@windlass/mgmt-driver/testing';
import { failureOf } from '@windlass/mgmt-driver/testing/contract';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContractRig } from '../testing/contract-rig.js';
import { setScene } from '../testing/scene.js';
import { TestUser } from '../testing/sshd.js';

const scene = setScene();
const within = seconds(20);
const ago = (duration: Duration): string => new Date(Date.now() - duration).toISOString();
const later = (duration: Duration): string => new Date(Date.now() + duration).toISOString();
const LATE = new Secret('set-late-by-cloud-init');
let user: TestUser;

beforeAll(() => {
  user = new TestUser('no');
});
afterAll(() => user.remove());

/** As cloud-init does in its config stage. */
const setPassword = (): void => void execFileSync('chpasswd', { input: `${user.name}:${LATE.reveal()}\n`, stdio: 'pipe' });

/** A look, and a promise of the first line of progress. */
function look(rig: ContractRig, run: Partial<HostRun> = {}) {
  const lines: string[] = [];
  let told: (line: string) => void;
  const first = new Promise<string>((resolve) => (told = resolve));
  const progress = (line: string): void => {
    lines.push(line);
    told(line);
  };
  const ended = rig.hosts.host(rig.target, hostRun({ progress, ...run })).run(cmd`id -un`, { within });
  return { ended, first, lines };
}

/** An SSH server that refuses everybody and notes what was tried; a list for each connection. */
async function refusing(
  work: (port: number, connections: string[][]) => Promise<void>,
  ways: ('password' | 'keyboard-interactive')[],
) {
  const connections: string[][] = [];
  const key = readFileSync(join(scene.sshd.folder, 'host_key'));
  const server = new ssh2.Server({ hostKeys: [key] }, (client) => {
    const tried: string[] = [];
    connections.push(tried);
    client.on('authentication', (context) => {
      tried.push(context.method);
      context.reject(ways);
    });
    client.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await work((server.address() as AddressInfo).port, connections);
  } finally {
    server.close();
  }
}

const fresh = (): Partial<HostTarget> => ({ username: user.name, password: LATE, createdAt: ago(seconds(5)) });

describe('a login that is refused in a machine’s first minutes', () => {
  it('is tried again until the machine has set it up, and whoever watches is told', async () => {
    const rig = scene.rig(fresh(), { refusalPause: millis(300) });
    const { ended, first } = look(rig);
    expect(await first).toMatch(
      /refuses the login; it was made [\d.]+ s ago, and may still be setting it up: tried again in 1.0 s/,
    );
    setPassword();
    expect((await ended).stdout).toBe(`${user.name}\n`);
  });

  it('is tried later and later, with one password a connection, however many steps wait for it', async () => {
    await refusing(
      async (port, connections) => {
        // Pauses of 200, 400, 800, 1600 and what is left of 5 s: six tries, fewer on a busy machine.
        const options = { loginPatience: seconds(5), refusalPause: millis(200) };
        const rig = scene.rig({ ...fresh(), port, createdAt: ago(millis(0)) }, options);
        const failures = await Promise.all(Array.from({ length: 10 }, () => failureOf(look(rig).ended)));
        for (const failure of failures) expect(failure).toMatchObject({ name: 'TerminalError', code: 'remote.auth-failed' });
        expect(connections.length).toBeGreaterThanOrEqual(3);
        expect(connections.length).toBeLessThanOrEqual(6);
        for (const tried of connections) expect(tried).toEqual(['none', 'password']);
        rig.hosts.close();
      },
      ['password', 'keyboard-interactive'],
    );
  });

  it('keeps nobody whose step is cancelled', async () => {
    const rig = scene.rig({ ...fresh(), password: new Secret('never right') });
    const cancelled = new AbortController();
    const { ended, first } = look(rig, { signal: cancelled.signal });
    await first;
    const reason = new Error('cancelled');
    cancelled.abort(reason);
    await expect(ended).rejects.toBe(reason);
  });

  it('does not hold up the end of a cancelled step’s jobs', async () => {
    const rig = scene.rig({ ...fresh(), password: new Secret('never right') });
    const { ended, first } = look(rig);
    await first;
    const failure = await failureOf(rig.hosts.endJobs(rig.target, { operationId: 'o', stepId: 's', epoch: 1 }));
    expect(failure).toMatchObject({ name: 'TransientError', code: 'remote.not-confirmed-stopped' });
    rig.hosts.close();
    expect(await failureOf(ended)).toMatchObject({ code: 'remote.closed' });
  });
});

describe('a login that is refused later', () => {
  it.each([
    ['made six minutes ago', ago(minutes(6)), 'The machine was made 6 min'],
    ['of which nobody knows when it was made', undefined, 'Check user name and credential'],
  ])('ends the step at once, on a machine %s', async (_what, createdAt, told) => {
    await refusing(
      async (port, connections) => {
        const { createdAt: _fresh, ...target } = fresh();
        const rig = scene.rig({ ...target, port, ...(createdAt === undefined ? {} : { createdAt }) });
        const failure = await failureOf(look(rig).ended);
        expect(failure).toMatchObject({ name: 'TerminalError', code: 'remote.auth-failed' });
        if (createdAt !== undefined) expect(failure.message).toContain('cloud-init status --long');
        expect(failure.message).toContain(told);
        expect(connections).toEqual([['none', 'password']]);
        rig.hosts.close();
      },
      ['password'],
    );
  });

  it('ends it too where the VIM’s clock is ahead by hours', async () => {
    const options = { loginPatience: seconds(1), refusalPause: millis(200) };
    const rig = scene.rig({ ...fresh(), password: new Secret('never right'), createdAt: later(minutes(300)) }, options);
    expect(await failureOf(look(rig).ended)).toMatchObject({ name: 'TerminalError', code: 'remote.auth-failed' });
  });
});

describe('a login', () => {
  it('shows a password by the keyboard where that is the only way, once', async () => {
    await refusing(
      async (port, connections) => {
        const rig = scene.rig({ ...fresh(), port, createdAt: ago(minutes(6)) });
        await failureOf(look(rig).ended);
        expect(connections).toEqual([['none', 'keyboard-interactive']]);
        rig.hosts.close();
      },
      ['keyboard-interactive'],
    );
  });
});

describe('a server that wants a key and a password', () => {
  const strict = setScene('AuthenticationMethods publickey,password');

  it('gets both', async () => {
    setPassword();
    const rig = strict.rig({ username: user.name, password: LATE, privateKey: strict.sshd.clientKey });
    expect((await look(rig).ended).stdout).toBe(`${user.name}\n`);
  });
});
