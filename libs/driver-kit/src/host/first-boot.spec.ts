import { setTimeout as pause } from 'node:timers/promises';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { millis, minutes, seconds, type Duration } from '@windlass/foundation';
import { FakeHosts, hostRun, type FakeReply } from '@windlass/mgmt-driver/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { awaitFirstBoot, FIRST_BOOT_LOOK } from './first-boot.js';

/** A machine whose looks at cloud-init end so, one after the other; the last stays. */
function machine(...replies: FakeReply[]) {
  const hosts = new FakeHosts();
  hosts.on(/cloud-init/, () => (replies.length > 1 ? replies.shift()! : replies[0]!));
  const stop = new AbortController();
  const lines: string[] = [];
  const target = { resourceId: 'server', address: '10.0.0.1', username: 'ubuntu' };
  const host = hosts.host(target, hostRun({ signal: stop.signal }));
  const wait = (within: Duration = minutes(10)): Promise<void> =>
    awaitFirstBoot({ host, name: 'worker24', within, progress: (line) => void lines.push(line) });
  return { hosts, stop, lines, wait };
}

const RUNNING = { status: 124, stdout: 'status: running\ndetail: Running in stage: modules-config\n' };

describe('a machine that is set up by cloud-init', () => {
  it.each([
    ['ended well', { status: 0, stdout: 'status: done\n' }],
    ['ended with recoverable errors', { status: 2, stdout: 'status: done\nextended_status: degraded done\n' }],
    ['is not there', { status: 127 }],
  ])('is worked on at once where it %s', async (_how, reply) => {
    const { hosts, lines, wait } = machine(reply);
    await wait();
    expect(hosts.looks).toHaveLength(1);
    expect(hosts.processes).toEqual([]);
    expect(lines).toEqual([]);
  });

  it('is waited for, and whoever watches is told what it does', async () => {
    const { lines, wait } = machine(RUNNING, { status: 0 });
    await wait();
    expect(lines).toEqual(['waiting for cloud-init: status: running; detail: Running in stage: modules-config']);
  });

  it('ends the step where it failed, with what cloud-init says', async () => {
    const { wait } = machine({ status: 1, stdout: 'status: error\nerrors:\n - (runcmd, ProcessExecutionError)\n' });
    await expect(wait()).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'node.first-boot-failed',
      message: expect.stringContaining(
        'worker24 (exit status 1): status: error; errors:; - (runcmd, ProcessExecutionError)',
      ) as string,
    });
  });

  it('ends it too where it does not end', async () => {
    const { wait } = machine(RUNNING);
    await expect(wait(millis(50))).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'node.first-boot-unfinished',
      message: expect.stringContaining('Running in stage: modules-config') as string,
    });
  });

  it('may restart meanwhile', async () => {
    const { hosts, lines, wait } = machine(RUNNING, { status: 0 });
    hosts.machine('server').unreachable = true;
    const waiting = wait();
    await pause(50);
    expect(hosts.looks).toHaveLength(0);
    expect(lines[0]).toMatch(/^waiting for worker24: /);
    hosts.machine('server').unreachable = false;
    await waiting;
  });

  it('is an unreachable one where it is gone until the end', async () => {
    const { hosts, wait } = machine(RUNNING);
    hosts.machine('server').unreachable = true;
    await expect(wait(millis(50))).rejects.toMatchObject({ name: 'TransientError', code: 'remote.unreachable' });
  });

  it('keeps nobody whose step is cancelled', async () => {
    const { stop, wait } = machine({ ...RUNNING, takes: seconds(15) });
    const waiting = wait();
    stop.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
  });
});

describe('the look at cloud-init', () => {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-cloud-init-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** A program of that name that ends so when it is waited for. */
  function look(status?: number): { status: number | null; stdout: string } {
    const program = join(folder, 'cloud-init');
    rmSync(program, { force: true });
    if (status !== undefined) {
      writeFileSync(program, `#!/bin/sh\n[ "$2" = --wait ] && { echo ....; exit ${status}; }\necho "status: as $2 says"\n`);
      chmodSync(program, 0o755);
    }
    const tools = execFileSync('sh', ['-c', 'dirname "$(command -v timeout)"'], { encoding: 'utf8' }).trim();
    const env = { PATH: status === undefined ? folder : `${folder}:${tools}` };
    return spawnSync('/bin/sh', ['-c', FIRST_BOOT_LOOK.text], { env, encoding: 'utf8' });
  }

  it.each([0, 1, 2, 124])('has its exit status, and prints what it says at length: %i', (status) => {
    expect(look(status)).toMatchObject({ status, stdout: 'status: as --long says\n' });
  });

  it('says where there is none', () => {
    expect(look()).toMatchObject({ status: 127, stdout: '' });
  });
});
