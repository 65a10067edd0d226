import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { millis, seconds, untilAptIsFree } from '@windlass/foundation';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runOnce } from './run-once.js';
import { testFolder } from './testing/index.js';

const folder = testFolder();
const at = (...names: string[]): string => join(folder.path, ...names);

/** apt with lists, status and cache of its own: its locks are real, and not the machine's. */
const aptGet = (...command: string[]) =>
  runOnce({
    file: 'apt-get',
    args: [
      ...['Dir::State', 'Dir::State::lists', 'Dir::Cache', 'Dir::Etc'].flatMap((name) => [
        '-o',
        `${name}=${at(name.split('::').join('-'))}`,
      ]),
      ...['-o', `Dir::State::status=${at('dpkg/status')}`, '-o', 'APT::Sandbox::User=root', '-o', 'DPkg::Lock::Timeout=0'],
      ...command,
    ],
  });

/** Holds a file as apt does (fcntl), until its input ends. */
const HOLD = `open(F, ">>", $ARGV[0]) or die; my $lock = pack("ssx4qqlx4", F_WRLCK, 0, 0, 0, 0); fcntl(F, F_SETLK, $lock) or die $!; $| = 1; print "held"; <STDIN>`;

let holder: ChildProcess | undefined;

async function held(file: string): Promise<() => void> {
  const child = spawn('perl', ['-MFcntl', '-e', HOLD, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  holder = child;
  const [said] = (await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])) as [unknown];
  if (String(said) !== 'held') throw new Error('the lock could not be taken');
  return () => child.stdin.end();
}

describe('apt-get while another program has its lock', () => {
  beforeAll(() => {
    for (const name of ['Dir-State/partial', 'Dir-State-lists/partial', 'Dir-Cache/archives/partial', 'Dir-Etc', 'dpkg'])
      mkdirSync(at(name), { recursive: true });
    writeFileSync(at('dpkg/status'), '');
  });
  afterEach(() => holder?.stdin?.end());
  afterAll(() => folder.remove());

  it.each([
    ['the package lists', 'Dir-State-lists/lock', ['update']],
    ['dpkg', 'dpkg/lock-frontend', ['--yes', 'dist-upgrade']],
  ])('waits for the lock of %s, and says so once', async (_what, lock, command) => {
    const release = await held(at(lock));
    await expect(aptGet(...command)).rejects.toThrow('Could not get lock');
    const lines: string[] = [];
    let tries = 0;
    const running = untilAptIsFree(
      () => {
        tries += 1;
        if (tries === 3) release();
        return aptGet(...command);
      },
      { log: (line) => lines.push(line), every: millis(50), within: seconds(20) },
    );
    await running;
    expect(tries).toBeGreaterThanOrEqual(3);
    expect(lines).toEqual([
      expect.stringMatching(
        /^waiting for another program that installs packages \(Could not get lock .*lock.* held by process \d+/,
      ),
    ]);
  });

  it('does not wait where something else is wrong, and gives up after its time', async () => {
    const lines: string[] = [];
    const options = { log: (line: string) => lines.push(line), every: millis(20), within: millis(200) };
    await expect(untilAptIsFree(() => aptGet('--yes', 'install', 'no-such-package'), options)).rejects.toThrow(
      'Unable to locate package',
    );
    expect(lines).toEqual([]);
    await held(at('Dir-State-lists/lock'));
    await expect(untilAptIsFree(() => aptGet('update'), options)).rejects.toMatchObject({ code: 'wait.timeout' });
  });
});
