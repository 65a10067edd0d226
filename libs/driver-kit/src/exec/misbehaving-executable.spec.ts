import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { LeaseEnded, type StepRun } from '@windlass/saga';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { launched } from './driver-process.js';
import { ExecutableDriver } from './executable-driver.js';
import type { StepMachines } from './step-machines.js';
import { runWith, writtenDriver, type WrittenDriver } from './testing/written-driver.js';
import { hookContextOf } from '../testing/requests.js';

const written: WrittenDriver[] = [];
afterEach(() => written.splice(0).forEach((each) => each.remove()));

const unused = () => Promise.reject(new Error('it asked for a machine'));
const noMachines: StepMachines = { script: unused, knownHosts: unused };

async function driverThat(run: string, more: Readonly<Record<string, string>> = {}) {
  const made = writtenDriver(run, more);
  written.push(made);
  const driver = await ExecutableDriver.of(made.executable);
  const perform = (input: JsonObject = {}, claim: Partial<StepRun> = {}, machines = noMachines) =>
    driver.perform(driver.description.actions[0]!, runWith(input, claim), machines);
  return { ...made, driver, perform };
}

/** A process is gone, or has ended and waits for its parent to notice. */
const isGone = (pid: string): boolean =>
  !existsSync(`/proc/${pid}`) || / [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/, ''));

const until = (what: string, isSo: () => boolean) =>
  waitUntil(() => Promise.resolve(isSo() || undefined), { for: what, within: seconds(20), every: millis(10) });

/** For our side the time is what the test lets pass from now on; processes have their own. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}
const pass = (time: number) => vi.advanceTimersByTimeAsync(time);

describe('an executable that is asked for a plan', () => {
  it('does not leave its author without a word of it: the log says what was asked', async () => {
    const { driver, logged } = await driverThat('echo "{\\"say\\":\\"done\\"}"');
    await driver.plan(hookContextOf({ hook: 'instantiate_end' })).catch(() => undefined);
    expect(logged.join('\n')).toMatch(/the driver is asked.*plan.*instantiate_end/);
  });
});

describe('an executable that runs a step', () => {
  it('is given the input and the claim on standard input, and its output counts', async () => {
    const { perform } = await driverThat(`echo "{\\"say\\":\\"done\\",\\"output\\":$line}"`);
    expect(await perform({ port: 8080 }, { attempt: 2, resumed: true })).toEqual({
      ...{ windlass: 1, ask: 'run', input: { port: 8080 } },
      step: { operationId: 'o', id: 's', action: 'act', version: 1, attempt: 2, resumed: true, target: null, tenant: 't' },
    });
  });

  it('has an environment of three variables, a folder of its own, which goes with it, and no file that we have open', async () => {
    const file = openSync(import.meta.filename, 'r');
    const { perform } = await driverThat(
      `printf '{"say":"done","output":{"env":"%s","cwd":"%s","home":"%s","files":"%s"}}\\n' "$(env | cut -d= -f1 | grep -v -x -e _ -e PWD -e OLDPWD -e SHLVL | sort | tr '\\n' ' ')" "$(pwd)" "$HOME" "$(readlink /proc/$$/fd/* | tr '\\n' ' ')"`,
    );
    const output = (await perform()) as { env: string; cwd: string; home: string; files: string };
    expect(output.env).toBe('HOME LANG PATH ');
    expect(output.home).toBe(output.cwd);
    expect(existsSync(output.cwd)).toBe(false);
    expect(output.files).toContain('/driver');
    expect(output.files).not.toContain(import.meta.filename);
    closeSync(file);
  });

  it.each([
    ['that is no JSON', 'echo hello', /line 1 that .*driver printed \(run of act@1\) is no JSON: "hello"/],
    ['that is no object', 'echo "[1]"', /is no JSON object/],
    ['with an unknown word', `echo '{"say":"sing"}'`, /a "say" that is none of answer/],
    ['of a megabyte and more', `head -c 1100000 /dev/zero | tr '\\0' x; echo`, /line 1 .* has more than 1048576 bytes/],
    ['without an end', `head -c 3000000 /dev/zero | tr '\\0' x; sleep 60`, /line 1 .* has more than 1048576 bytes/],
    ['too many', `yes '{"say":"alive"}'`, /line 10001 .* is one too many/],
    ['after its last', `echo '{"say":"done"}'; echo more`, /line 2 .* is no JSON: "more"/],
    ['that answers another question', `echo '{"say":"answer","answer":{}}'`, /says "answer", which is no answer/],
    ['with a script without a text', `echo '{"say":"script","name":"x"}'`, /has no text "text"/],
    ['with an error of no kind', `echo '{"say":"failed","kind":"bad","code":"a.b","detail":"x"}'`, /a "kind" that is none of/],
  ])('fails its step with the line %s, for a person to see', async (_, run, says) => {
    const { perform } = await driverThat(run);
    await expect(perform()).rejects.toMatchObject({ code: 'driver.garbage', message: expect.stringMatching(says) as string });
  });

  it.each([
    [
      'ends without an answer',
      'echo oh no >&2; exit 3',
      /ended with status 3 without an answer \(run of act@1\)\. It said last: oh no/,
    ],
    ['is killed', 'kill -9 $$', /ended by SIGKILL/],
    ['answers and then fails', `echo '{"say":"done"}'; exit 1`, /ended with status 1/],
  ])('is tried again where it %s', async (_, run, says) => {
    const { perform } = await driverThat(run);
    await expect(perform()).rejects.toMatchObject({
      code: 'driver.ended',
      status: 503,
      message: expect.stringMatching(says) as string,
    });
  });

  it('is ended when it says nothing for longer than it said it would, and not while it speaks', async () => {
    const gates = mkdtempSync(join(tmpdir(), 'windlass-gates-'));
    onTestFinished(() => rmSync(gates, { recursive: true }));
    const { perform } = await driverThat(
      `for n in 1 2 3; do until [ -e ${gates}/$n ]; do sleep 0.01; done; echo "{\\"say\\":\\"progress\\",\\"line\\":\\"$n\\"}"; done; sleep 1000 & wait`,
    );
    stopClock();
    const said: string[] = [];
    let ended = false;
    const failed = perform({}, { progress: (line) => void said.push(line) }).finally(() => (ended = true));
    const silent = expect(failed).rejects.toMatchObject({ code: 'driver.silent' });
    for (const n of ['1', '2', '3']) {
      await pass(seconds(59));
      writeFileSync(join(gates, n), '');
      await until(`line ${n}`, () => said.includes(n));
    }
    await pass(seconds(59));
    expect(ended).toBe(false);
    await pass(seconds(1));
    await silent;
  });

  it('is not taken for silent for what it said while its service was stopped, which waits to be read', async () => {
    const gates = mkdtempSync(join(tmpdir(), 'windlass-gates-'));
    onTestFinished(() => rmSync(gates, { recursive: true }));
    const { perform } = await driverThat(
      `echo '{"say":"progress","line":"begun"}'; until [ -e ${gates}/stopped ]; do sleep 0.01; done; echo '{"say":"done","output":"spoke"}'; : > ${gates}/said`,
    );
    stopClock();
    const said: string[] = [];
    const ended = perform({}, { progress: (line) => void said.push(line) });
    await until('its first line', () => said.includes('begun'));
    // As one that got SIGSTOP we read nothing meanwhile, and when we go on the time is over.
    writeFileSync(join(gates, 'stopped'), '');
    spawnSync('sh', ['-c', `until [ -e ${gates}/said ]; do sleep 0.01; done`], { timeout: seconds(30) });
    vi.advanceTimersByTime(seconds(61));
    expect(await ended).toBe('spoke');
  });

  it('says its own error, which is the step’s', async () => {
    const { perform } = await driverThat(
      `echo '{"say":"failed","kind":"transient","code":"written.busy","detail":"it is busy"}'`,
    );
    await expect(perform()).rejects.toMatchObject({ name: 'TransientError', code: 'written.busy', message: 'it is busy' });
  });

  it('leaves nothing that it has started, however it ends', async () => {
    const { perform } = await driverThat(`sleep 1000 >/dev/null 2>&1 & echo "{\\"say\\":\\"done\\",\\"output\\":\\"$!\\"}"`);
    const pid = String(await perform());
    await until(`process ${pid} to be gone`, () => isGone(pid));
  });

  it('shows no secret that it was given: in its log, its progress, its errors', async () => {
    const said: string[] = [];
    const { driver, perform, logged } = await driverThat(
      `echo "$line" >&2; echo '{"say":"progress","line":"with hunter2-of-vm and swordfish-7"}'; echo '{"say":"failed","kind":"terminal","code":"a.b","detail":"swordfish-7 hunter2-of-vm"}'`,
      {
        plan: `echo '{"say":"answer","answer":{"root":{"kind":"step","id":"a","action":"act","version":1,"input":{"word":{"$from":"instantiate-params","at":"/fish/word"},"password":{"$from":"request-params","at":"/p"}}}}}'`,
      },
    );
    driver.description.driver.parameters = {
      properties: { fish: { properties: { word: { type: 'string', writeOnly: true } } } },
    };
    const { root } = await driver.plan(hookContextOf());
    if (root.kind !== 'step') throw new Error('no step');
    // As the coordinator resolves it.
    const input = { ...root.input, word: 'swordfish-7', password: 'hunter2-of-vm' };
    await expect(perform(input, { progress: (line) => void said.push(line) })).rejects.toMatchObject({ message: '*** ***' });
    expect(said).toEqual(['with *** and ***']);
    expect(logged.join('\n')).toMatch(/"word\\*":\\*"\*\*\*/);
    expect(logged.join('\n')).not.toMatch(/swordfish-7|hunter2-of-vm|\$secretsAt/);
  });
});

describe('what an executable prints for people', () => {
  it.each([
    ['in the middle of a character', `printf 'caf\\303' >&2; sleep 0.2; printf '\\251-7 it was\\n' >&2`, /"\*\*\* it was"/],
    [
      'in a line that is too long to be read',
      `head -c 1048574 /dev/zero | tr '\\0' x >&2; printf 'caf\\303\\251' >&2; sleep 0.2; printf -- '-7 it was\\n' >&2`,
      /too long/,
    ],
    ['in a line without an end', `printf 'caf\\303\\251-7 it was' >&2`, /"\*\*\* it was"/],
  ])('shows no secret that is cut %s', async (_, prints, says) => {
    const { perform, logged, driver } = await driverThat(
      `${prints}; echo '{"say":"failed","kind":"terminal","code":"a.b","detail":"x"}'`,
      {
        plan: `echo '{"say":"answer","answer":{"root":{"kind":"step","id":"a","action":"act","version":1,"input":{"word":{"$from":"request-params","at":"/p"}}}}}'`,
      },
    );
    driver.description.driver.parameters = { properties: { p: { type: 'string', writeOnly: true } } };
    const { root } = await driver.plan(hookContextOf());
    if (root.kind !== 'step') throw new Error('no step');
    await expect(perform({ ...root.input, word: 'café-7' })).rejects.toMatchObject({ code: 'a.b' });
    expect(logged.join('\n')).toMatch(says);
    expect(logged.join('\n')).not.toMatch(/caf|-7/);
  });
});

describe('an executable that is to be another user', () => {
  const user = { name: 'nobody', uid: 65_534, gid: 65_534 };

  it('is not started as ours where nothing can make it the other', () => {
    expect(() => launched({ path: '/d', user }, false)).toThrow(
      /is to run as nobody, but this machine has no \/usr\/bin\/setpriv/,
    );
    expect(launched({ path: '/d' }, false)).toEqual(['/d']);
    expect(launched({ path: '/d', user }, true).join(' ')).toContain('--reuid=65534 --regid=65534 --clear-groups');
  });
});

describe('folders of processes whose service was killed', () => {
  const folderOf = (pid: number): string => mkdtempSync(join(tmpdir(), `windlass-driver-${pid}-`));
  const ended = spawnSync('true').pid;

  // Any service of this machine takes away what it finds left in the common one.
  beforeEach(() => {
    vi.stubEnv('TMPDIR', mkdtempSync(join(tmpdir(), 'windlass-left-folders-')));
    onTestFinished(() => {
      rmSync(tmpdir(), { recursive: true });
      vi.unstubAllEnvs();
    });
  });

  it('go when the next one starts, and those of living ones stay', async () => {
    const folders = [ended, process.pid].map(folderOf);
    await driverThat('');
    expect(folders.map((folder) => existsSync(folder))).toEqual([false, true]);
    rmSync(folders[1]!, { recursive: true });
  });

  it('stay where another user made them, or where the name only leads somewhere', async () => {
    const [folder, target] = [folderOf(ended), folderOf(process.pid)];
    const link = `${folder}-link`;
    symlinkSync(target, link);
    const getuid = vi.spyOn(process, 'getuid').mockReturnValue(4_000_000);
    await driverThat('');
    getuid.mockRestore();
    expect(existsSync(folder)).toBe(true);
    await driverThat('');
    expect([folder, link, target].map((path) => existsSync(path))).toEqual([false, true, true]);
    for (const path of [link, target]) rmSync(path, { recursive: true });
  });
});

describe('an executable whose run shall end', () => {
  const endless = `trap 'echo "{\\"say\\":\\"cancelled\\"}"; exit 0' TERM; echo "{\\"say\\":\\"progress\\",\\"line\\":\\"$$\\"}"; sleep 1000 & wait`;

  const deaf = `trap '' TERM; echo "{\\"say\\":\\"progress\\",\\"line\\":\\"$$\\"}"; while :; do sleep 1000; done`;

  /** Begins a run, and ends it as soon as it has said its process id. No time passes from then on but what `meanwhile` lets pass. */
  async function endedBy(
    reason: 'lease-lost' | 'cancelled' | 'detached',
    run: string,
    meanwhile: (pid: string) => Promise<void> = () => Promise.resolve(),
  ): Promise<string[]> {
    const { perform, logged } = await driverThat(run);
    stopClock();
    const stop = new AbortController();
    let pid = '';
    const progress = (line: string): void => {
      pid = line;
      stop.abort(new LeaseEnded(reason));
    };
    const ended = expect(perform({}, { signal: stop.signal, progress })).rejects.toMatchObject({ stopReason: reason });
    await until('its process id', () => pid !== '');
    await meanwhile(pid);
    await ended;
    expect(isGone(pid)).toBe(true);
    return logged;
  }

  it('is killed at once when another may have its step', async () => {
    await endedBy('lease-lost', deaf);
  });

  it('is told of a cancel', async () => {
    const run = `echo "{\\"say\\":\\"progress\\",\\"line\\":\\"$$\\"}"; read -r told; echo "heard $told" >&2`;
    expect((await endedBy('cancelled', run)).join()).toContain('heard {\\"tell\\":\\"cancel\\"}');
  });

  it('is asked to end when the service stops', async () => {
    await endedBy('detached', endless);
  });

  it('is killed after a cancel that it does not heed, before its worker gives up on it', async () => {
    await endedBy('cancelled', deaf, async (pid) => {
      await pass(seconds(4));
      expect(isGone(pid)).toBe(false);
      await pass(seconds(5.9));
    });
  });
});

describe('an executable that is asked', () => {
  it.each([
    ['driver', '{"version":"1","service":"s"}', /\/driver/],
    ['a member too many', '{"driver":"d","version":"1","service":"s","colour":"red"}', /a member "colour"/],
    [
      'an action’s',
      '{"driver":"d","version":"1","service":"s","actions":[{"name":"a","version":1,"undo":"yes"}]}',
      /\/actions\/0 has an "undo"/,
    ],
  ])('says what is wrong with its description: %s', async (_, description, says) => {
    const made = writtenDriver('', { describe: `echo '{"say":"answer","answer":${description}}'` });
    written.push(made);
    await expect(ExecutableDriver.of(made.executable)).rejects.toMatchObject({
      code: 'driver.bad-description',
      message: expect.stringMatching(says) as string,
    });
  });

  it('has its plan filled in with what need not be said', async () => {
    const { driver } = await driverThat('', {
      plan: `echo '{"say":"answer","answer":{"root":{"kind":"sequence","of":[{"kind":"step","id":"a","action":"act","version":1,"input":{}}]}}}'`,
    });
    expect(await driver.plan(hookContextOf())).toEqual({
      madeBy: { driver: 'written', version: '1.0.0' },
      root: { kind: 'sequence', of: [{ kind: 'step', id: 'a', action: 'act', version: 1, service: 'written-mgmt', input: {} }] },
    });
  });

  it('is not asked about operations that it does not name, and its plan is its own error where it has none', async () => {
    const { driver } = await driverThat('', { plan: 'exit 4', validate: 'exit 5' });
    const request = { operation: 'SCALE' } as Parameters<typeof driver.validate>[0];
    expect(await driver.validate(request)).toEqual({ invalidParams: [], warnings: [], normalised: {} });
    await expect(driver.plan(hookContextOf())).rejects.toMatchObject({ name: 'TerminalError', code: 'driver.ended' });
  });
});
