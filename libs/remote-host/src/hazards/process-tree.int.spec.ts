import { existsSync, rmdirSync, writeFileSync } from 'node:fs';
import { minutes, seconds } from '@windlass/foundation';
import { cmd, type Command } from '@windlass/mgmt-driver';
import { hostRun } from '@windlass/mgmt-driver/testing';
import { failureOf } from '@windlass/mgmt-driver/testing/contract';
import { describe, expect, it } from 'vitest';
import { runnerScript as ownScript } from '../runner/script.js';
import { lives, readIfThere } from '../testing/contract-rig.js';
import { setScene } from '../testing/scene.js';

const scene = setScene();
const within = minutes(5);

describe('ending a job reaches', () => {
  const note = '; echo $$ >> "$PIDS/w.pids"; sleep 600';
  const trees: Record<string, (folder: string) => Command> = {
    'children and grandchildren': (folder) =>
      cmd`export PIDS=${folder}; sh -c ${`true${note}`} & sh -c ${`sh -c 'true${note}' & wait`}`,
    'processes that made themselves a session of their own': (folder) =>
      cmd`export PIDS=${folder}; setsid sh -c ${`true${note}`} & setsid setsid sh -c ${`true${note}`} & sleep 600`,
    'processes that ignore being asked to end': (folder) =>
      cmd`export PIDS=${folder}; trap '' TERM; sh -c ${`trap '' TERM HUP INT${note}`} & sh -c ${`trap '' TERM${note}`}`,
    'processes with another environment': (folder) =>
      cmd`env -i PATH="$PATH" PIDS=${folder} sh -c ${`true${note}`} & env -i PIDS=${folder} PATH=/bin sh -c ${`true${note}`}`,
  };
  for (const [what, tree] of Object.entries(trees)) {
    it.concurrent(what, async () => {
      const rig = scene.rig();
      const run = hostRun();
      const job = failureOf(rig.hosts.host(rig.target, run).job('tree', { run: tree(rig.folder), within }));
      await expect.poll(() => rig.pids('w').length, { timeout: 10_000, interval: 20 }).toBe(2);
      expect(rig.pids('w').filter(lives)).toHaveLength(2);
      await rig.hosts.endJobs(rig.target, run);
      expect(rig.pids('w').filter(lives)).toEqual([]);
      expect(await job).toMatchObject({ code: 'remote.job-ended' });
    });
  }
});

it('a job that is asked to end may clean up first', async () => {
  const rig = scene.rig({}, { stopGrace: minutes(2) });
  const run = hostRun();
  const polite = cmd`trap 'echo cleaned > "$CLEAN"; exit 0' TERM; ${rig.work('w')}; while :; do sleep 0.1; done`;
  const job = failureOf(
    rig.hosts.host(rig.target, run).job('polite', { run: polite, env: { CLEAN: `${rig.folder}/clean` }, within }),
  );
  await expect.poll(() => rig.begun('w'), { timeout: 10_000, interval: 20 }).toBe(1);
  const began = performance.now();
  await rig.hosts.endJobs(rig.target, run);
  expect(performance.now() - began).toBeLessThan(seconds(40));
  expect(await rig.hosts.host(rig.target, { ...run, operationId: 'other' }).files.exists(`${rig.folder}/clean`)).toBe(true);
  expect(await job).toMatchObject({ code: 'remote.job-ended' });
});

it('what a job leaves running on purpose is not ended with it', async () => {
  const rig = scene.rig();
  const daemon = cmd`setsid sh -c ${'echo $$ >> "$PIDS/w.pids"; exec sleep 600'} > /dev/null 2>&1 < /dev/null & sleep 0.3`;
  const result = await rig.hosts.host(rig.target, hostRun()).job('daemon', { run: daemon, env: { PIDS: rig.folder }, within });
  expect(result.status).toBe(0);
  const [pid] = rig.pids('w');
  expect(lives(pid!)).toBe(true);
  process.kill(pid!, 'SIGKILL');
});

describe('in a scope of systemd', () => {
  const base = existsSync('/sys/fs/cgroup/cgroup.procs') ? '/sys/fs/cgroup' : '/sys/fs/cgroup/unified';
  /** The cgroup that the job's supervisor noted. */
  const scopeOf = (jobsFolder: string): string => readIfThere(`${jobsFolder}/op/step/hiding/pid`).trim().split(' ')[3] ?? '-';
  /** Does what systemd-run does here: a cgroup of the unit's name, entered before the program starts in the same process. */
  const systemdRun = `while :; do case $1 in --unit=*) unit=\${1#--unit=} ;; --*) ;; *) break ;; esac; shift; done
mkdir "${base}/$unit.scope" && echo $$ >"${base}/$unit.scope/cgroup.procs" && exec "$@"\n`;

  it('not even a process that hides in a session and an environment of its own is missed', async () => {
    const { folder } = scene.rig();
    writeFileSync(`${folder}/systemd-run`, systemdRun);
    const runnerScript = ownScript()
      .text.replace('[ -d /run/systemd/system ] && command -v systemd-run >/dev/null', 'true')
      .replace('setsid systemd-run', `setsid sh ${folder}/systemd-run`);
    const rig = scene.rig({}, { runnerScript });
    const run = hostRun({ operationId: 'op', stepId: 'step' });
    const hiding = cmd`setsid env -i PIDS=${rig.folder} PATH=/bin setsid sh -c ${'echo $$ >> "$PIDS/w.pids"; trap "" TERM; sleep 600; true'} & sleep 600`;
    const job = failureOf(rig.hosts.host(rig.target, run).job('hiding', { run: hiding, within }));
    await expect.poll(() => rig.pids('w').filter(lives).length, { timeout: 10_000, interval: 20 }).toBe(1);
    const scope = scopeOf(rig.jobsFolder);
    try {
      expect(scope).toMatch(/\/windlass-[0-9a-f-]{36}\.scope$/);
      await rig.hosts.endJobs(rig.target, run);
      expect(rig.pids('w').filter(lives)).toEqual([]);
      expect(await job).toMatchObject({ code: 'remote.job-ended' });
    } finally {
      for (const pid of rig.pids('w').filter(lives)) process.kill(pid, 'SIGKILL');
      await expect.poll(() => readIfThere(`${scope}/cgroup.procs`)).toBe('');
      rmdirSync(scope);
    }
  });

  it('that can not be had, a job starts without', async () => {
    const runnerScript = ownScript()
      .text.replace('[ -d /run/systemd/system ] && command -v systemd-run >/dev/null', 'true')
      .replace('setsid systemd-run', 'setsid false');
    const rig = scene.rig({}, { runnerScript });
    expect(await rig.hosts.host(rig.target, hostRun()).job('work', { run: rig.work('w'), within })).toMatchObject({ status: 0 });
    expect(await rig.begun('w')).toBe(1);
  });
});
