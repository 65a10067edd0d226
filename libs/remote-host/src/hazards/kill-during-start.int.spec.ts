import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { millis, minutes, seconds, TransientError, waitUntil } from '@windlass/foundation';
import { cmd, type JobSpec } from '@windlass/mgmt-driver';
import { hostRun, nextClaim } from '@windlass/mgmt-driver/testing';
import { untilRunning } from '@windlass/mgmt-driver/testing/contract';
import { afterAll, describe, expect, it } from 'vitest';
import type { RemoteHosts } from '../remote-hosts.js';
import { runnerScript } from '../runner/script.js';
import type { ContractRig } from '../testing/contract-rig.js';
import { setScene } from '../testing/scene.js';

const scene = setScene();
const within = seconds(60);
const lines = runnerScript().text.split('\n');

/** One for all tests: operations keep apart. */
let sound: ContractRig | undefined;
const soundRig = (): ContractRig => (sound ??= scene.rig({}, { patience: seconds(20) }));

/** Hosts that are the same machine, their script killed once at that place; and where it leaves a note of that. */
function woundedAt(place: Place): { hosts: RemoteHosts; flag: string } {
  const { folder, target, jobsFolder, bootIdFile } = soundRig();
  const flag = join(folder, `killed-${place.line}`);
  const { hosts } = scene.rig(target, { jobsFolder, bootIdFile, runnerScript: killedAt(place, flag) });
  return { hosts, flag };
}

/** The functions that a start passes through. */
const FUNCTIONS = ['put', 'lock_step', 'receive_inputs', 'admit', 'start', 'launch', 'supervise'];

interface Place {
  line: number;
  text: string;
}

/** Lines before which a statement can be put in. */
function places(functions: readonly string[]): Place[] {
  const found: Place[] = [];
  let inside = false;
  lines.forEach((text, line) => {
    if (functions.some((name) => text.startsWith(`${name}() {`))) inside = true;
    else if (text === '}') inside = false;
    else if (inside && !/^\s*(#|$|then|do|else|elif|fi|done|esac|;;)/.test(text) && !/(\\|\||&&)$/.test(lines[line - 1] ?? '')) {
      found.push({ line, text: text.trim() });
    }
  });
  return found;
}

/** The script, killed once, before that line: whoever gets there first, the caller's part or the supervisor. */
function killedAt(place: Place, flag: string): string {
  const kill = `[ -e ${flag} ] || { : >${flag}; kill -s KILL $$; }`;
  return lines.flatMap((text, line) => (line === place.line ? [kill, text] : [text])).join('\n');
}

describe('a start that is killed', () => {
  const all = places(FUNCTIONS);
  const reached = new Set<number>();

  afterAll(() => {
    // A few lie on other ways: what is cut off, what need not start, systemd.
    expect(all.length - reached.size).toBeLessThan(10);
  });

  it('is tried at every statement on its way', () => {
    expect(all.length).toBeGreaterThan(60);
    expect(new Set(all.map(({ text }) => text)).has('put "$d/began" "$(date +%s) $uptime"')).toBe(true);
  });

  // Some at a time, as each mostly waits.
  it.concurrent.each(all.map((place) => [`${place.line + 1}: ${place.text}`, place] as const))(
    'before line %s is made good by the next claim, and never runs twice',
    async (_title, place) => {
      const rig = soundRig();
      const { hosts: wounded, flag } = woundedAt(place);
      const work = `w${place.line}`;
      const takenBack: string[] = [];
      const spec = (worker: string): JobSpec => ({
        prepare: async (files) => {
          await files.put('token', `token of ${worker}`);
          return { run: cmd`${rig.work(work, { takes: millis(200) })} && cat ${files.path('token')}`, receipt: worker };
        },
        after: (receipt) => Promise.resolve(void takenBack.push(receipt.reveal())),
        within,
      });
      let run = hostRun();
      const first = await outcome(wounded.host(rig.target, run).job('work', spec('first')));
      run = nextClaim(run, 'resumed');
      let last = await outcome(rig.hosts.host(rig.target, run).job('work', spec('second')));
      const lost = last instanceof TransientError && last.code === 'remote.job-lost';
      if (lost) {
        run = nextClaim(run, 'new-attempt');
        last = await outcome(rig.hosts.host(rig.target, run).job('work', spec('third')));
      }
      if (existsSync(flag)) reached.add(place.line);
      expect(last, String(first)).toMatchObject({ status: 0 });
      // Lost means that it may have run before; otherwise it ran once.
      expect(await rig.begun(work)).toBeLessThanOrEqual(lost ? 2 : 1);
      await untilQuiet(rig, work);
    },
  );
});

describe('an ending that is killed', () => {
  const all = places(['end_job', 'drop_inputs']);

  it.concurrent.each(all.map((place) => [`${place.line + 1}: ${place.text}`, place] as const))(
    'before line %s is made good by the next one',
    async (_title, place) => {
      const rig = soundRig();
      const run = hostRun();
      const work = `e${place.line}`;
      const job = outcome(rig.hosts.host(rig.target, run).job('work', { run: rig.work(work, { takes: minutes(5) }), within }));
      await untilRunning(rig, work);
      await outcome(woundedAt(place).hosts.endJobs(rig.target, run));
      await rig.hosts.endJobs(rig.target, run);
      expect(await rig.running(work)).toBe(0);
      expect((await job) instanceof Error).toBe(true);
      const next = nextClaim(run, 'new-attempt');
      expect(await rig.hosts.host(rig.target, next).job('work', { run: rig.work('again'), within })).toMatchObject({ status: 0 });
    },
  );
});

async function untilQuiet(rig: ContractRig, work: string): Promise<void> {
  await waitUntil(
    async (seen) => {
      const running = await rig.running(work);
      seen(`${running} running`);
      return running === 0 ? true : undefined;
    },
    { for: 'all to end', within: seconds(20), every: millis(20) },
  );
}

async function outcome<T>(work: Promise<T>): Promise<T | Error> {
  try {
    return await work;
  } catch (error) {
    return error as Error;
  }
}
