import { millis, seconds, waitUntil, type Duration } from '@windlass/foundation';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ServerProcess } from '../server-process.js';
import type { Exit } from '../stop-within.js';
import { Supervisor, type RunningProcess, type Supervision } from './supervisor.js';

const TIMES = { firstPause: millis(5), longestPause: millis(80), probeEvery: millis(10), stopWithin: millis(300) };

/** A real process that only sleeps, and heeds SIGTERM or not. */
async function sleeper(heeds = true): Promise<RunningProcess> {
  const script = `${heeds ? '' : 'trap "" TERM; '}echo up; while true; do sleep 0.05; done`;
  let up: () => void = () => undefined;
  const isUp = new Promise<void>((resolve) => (up = resolve));
  const server = await ServerProcess.start({
    name: 'sleeper',
    binary: '/bin/bash',
    args: ['-c', script],
    folder: '/',
    user: undefined,
    whenParentDies: 'TERM',
    log: () => up(),
  });
  await isUp;
  const stop = (within?: Duration): Promise<Exit> => server.stop('SIGTERM', within ?? millis(300));
  return { pid: server.pid, exited: server.exited, stop };
}

class Stage {
  readonly said: string[] = [];
  /** The process that ran before each start. */
  readonly before: (number | undefined)[] = [];
  readonly startedAt: number[] = [];
  failures = 0;

  async start(more: Partial<Supervision<RunningProcess>> = {}, heeds = true): Promise<Supervisor<RunningProcess>> {
    const { supervisor } = await Supervisor.start(this.supervision(more, heeds));
    onTestFinished(() => supervisor.stop());
    return supervisor;
  }

  supervision(more: Partial<Supervision<RunningProcess>> = {}, heeds = true): Supervision<RunningProcess> {
    return {
      name: 'Sleeper',
      start: (before) => {
        this.before.push(before?.pid);
        this.startedAt.push(performance.now());
        if (this.failures > 0 && this.failures-- > 0) return Promise.reject(new Error('no space left on device'));
        return sleeper(heeds);
      },
      say: (line) => void this.said.push(line),
      ...more,
      times: { ...TIMES, ...more.times },
    };
  }
}

const until = (what: string, isSo: () => boolean) =>
  waitUntil(() => Promise.resolve(isSo() ? true : undefined), { for: what, within: seconds(20), every: millis(5) });

const another = async (supervised: Supervisor<RunningProcess>, than: number | undefined): Promise<void> => {
  await until('another process', () => supervised.pid !== undefined && supervised.pid !== than);
};

const kill = (pid: number | undefined): void => void process.kill(pid ?? Number.NaN, 'SIGKILL');

describe('a supervised process', () => {
  it('is started again when it was killed, knows which process ran before, and its end is told', async () => {
    const stage = new Stage();
    const supervised = await stage.start();
    const { pid } = supervised;
    kill(pid);
    await another(supervised, pid);
    expect(stage.before).toEqual([undefined, pid]);
    expect(stage.said).toEqual(['Sleeper ended (SIGKILL); starting it again']);
  });

  it('is tried again with growing pauses when it can’t be started, each time with the reason', async () => {
    const stage = new Stage();
    const supervised = await stage.start();
    stage.failures = 6;
    const { pid } = supervised;
    kill(pid);
    await another(supervised, pid);
    const failed = stage.said.filter((line) => line === "Sleeper can't be started: no space left on device");
    expect(failed).toHaveLength(6);
    const pauses = stage.startedAt.slice(1).map((at, n) => at - stage.startedAt[n]!);
    // 5, 10, 20, 40, 80, 80, 80 after the first; a timer may come a moment early, and late on a busy machine.
    [10, 20, 40, 80, 80, 80].forEach((least, n) => expect(pauses[n + 1]).toBeGreaterThan(least - 2));
  });

  it('begins with the short pause again when it ran long enough', async () => {
    const stage = new Stage();
    const times = { firstPause: millis(1), longestPause: seconds(60), recoveredAfter: millis(0) };
    const supervised = await stage.start({ times });
    for (let n = 0; n < 18; n++) {
      const { pid } = supervised;
      kill(pid);
      // With doubling pauses the last would be two minutes.
      await another(supervised, pid);
    }
  });

  it('is ended when its probe fails three times in a row, by force when it does not heed, and started again', async () => {
    const stage = new Stage();
    let probes = 0;
    const sick = new Set<number>();
    const probe = ({ pid }: RunningProcess): Promise<void> => {
      probes += 1;
      return sick.has(pid) ? Promise.reject(new Error('it answers nothing')) : Promise.resolve();
    };
    const supervised = await stage.start({ probe }, false);
    await until('three good probes', () => probes >= 3);
    const { pid } = supervised;
    expect(stage.said).toEqual([]);
    sick.add(pid!);
    await another(supervised, pid);
    expect(stage.said.slice(0, 2)).toEqual([
      'Sleeper does not do its work (it answers nothing); ending it',
      'Sleeper ended (SIGKILL); starting it again',
    ]);
  });

  it('is left alone when two probes fail and the next does not', async () => {
    const stage = new Stage();
    let probes = 0;
    const probe = (): Promise<void> => (++probes % 3 === 0 ? Promise.resolve() : Promise.reject(new Error('busy')));
    const supervised = await stage.start({ probe });
    const { pid } = supervised;
    await until('many probes', () => probes > 20);
    expect(supervised.pid).toBe(pid);
    expect(stage.said).toEqual([]);
  });

  it('stays ended when it is stopped: while it runs, between two starts, and in the middle of one', async () => {
    const stage = new Stage();
    const running = await stage.start();
    await running.stop();
    expect([running.pid, stage.before.length, stage.said]).toEqual([undefined, 1, []]);

    const waiting = await stage.start({ times: { firstPause: seconds(60) } });
    kill(waiting.pid);
    await until('its end to be noticed', () => stage.said.length === 1);
    await waiting.stop();
    expect(waiting.pid).toBeUndefined();

    let late: RunningProcess | undefined;
    let goOn: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    let starts = 0;
    const starting = await stage.start({
      start: async () => {
        starts += 1;
        if (starts > 1) await gate;
        return (late = await sleeper());
      },
    });
    const first = starting.pid;
    kill(first);
    await until('the second start', () => starts === 2);
    const stopped = starting.stop();
    goOn();
    await stopped;
    expect(late?.pid).not.toBe(first);
    expect(await late?.exited).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('is not started again where another start would not help, and the supervisor knows why', async () => {
    const stage = new Stage();
    const ends: unknown[] = [];
    const supervised = await stage.start({
      beforeNextStart: ({ pid }, exit) => {
        ends.push([pid, exit]);
        return ends.length === 1 ? Promise.resolve() : Promise.reject(new Error('the licence has run out'));
      },
    });
    const { pid } = supervised;
    kill(pid);
    await another(supervised, pid);
    const second = supervised.pid;
    kill(second);
    await until('the supervisor to give up', () => supervised.gaveUp !== undefined);
    expect(supervised.gaveUp?.message).toBe('the licence has run out');
    const killed = { code: null, signal: 'SIGKILL' };
    expect(ends).toEqual([
      [pid, killed],
      [second, killed],
    ]);
    expect([supervised.pid, supervised.last?.pid, stage.before.length]).toEqual([undefined, second, 2]);
    expect(stage.said).toHaveLength(1);
  });

  it('leaves its neighbours alone when it is killed: they run on as they were', async () => {
    const stage = new Stage();
    const killed = await stage.start();
    const neighbours = [await stage.start(), await stage.start()];
    const before = neighbours.map(({ pid }) => pid);
    const { pid } = killed;
    kill(pid);
    await another(killed, pid);
    expect(neighbours.map((each) => each.pid)).toEqual(before);
    expect(stage.said).toHaveLength(1);
  });

  it('that heeds no signal is killed when its time to end is over, and not before', async () => {
    const stage = new Stage();
    const supervised = await stage.start({}, false);
    const { running } = supervised;
    const begun = performance.now();
    await supervised.stop(millis(200));
    expect(performance.now() - begun).toBeGreaterThan(195);
    expect(await running?.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('whose supervisor does not wait for the first start is tried until it runs', async () => {
    const stage = new Stage();
    stage.failures = 2;
    const supervisor = new Supervisor(stage.supervision());
    onTestFinished(() => supervisor.stop());
    await until('a process', () => supervisor.pid !== undefined);
    expect(stage.said).toEqual(Array(2).fill("Sleeper can't be started: no space left on device"));
  });

  it('whose first start fails is nobody’s', async () => {
    const stage = new Stage();
    stage.failures = 1;
    await expect(stage.start()).rejects.toThrow('no space left on device');
    expect(stage.before).toHaveLength(1);
  });
});
