import { millis, seconds, waitUntil, type Duration } from '@windlass/foundation';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ServerProcess, type Exit } from '../server-process.js';
import { SupervisedServer, type RunningServer, type Supervision } from './supervised-server.js';

const TIMES = { firstPause: millis(5), longestPause: millis(80), probeEvery: millis(10), stopWithin: millis(300) };

const PORT = 4_000;

/** A real process that only sleeps, and heeds SIGTERM or not. */
async function sleeper(port: number, heeds = true): Promise<RunningServer> {
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
  return { port, pid: server.pid, exited: server.exited, stop };
}

class Supervisor {
  readonly said: string[] = [];
  readonly ports: (number | undefined)[] = [];
  readonly startedAt: number[] = [];
  failures = 0;

  async start(more: Partial<Supervision<RunningServer>> = {}, heeds = true): Promise<SupervisedServer<RunningServer>> {
    const supervised = await SupervisedServer.start({
      name: 'Sleeper',
      start: (port) => {
        this.ports.push(port);
        this.startedAt.push(performance.now());
        if (this.failures > 0 && this.failures-- > 0) return Promise.reject(new Error('no space left on device'));
        return sleeper(port ?? PORT, heeds);
      },
      say: (line) => void this.said.push(line),
      ...more,
      times: { ...TIMES, ...more.times },
    });
    onTestFinished(() => supervised.stop());
    return supervised;
  }
}

const until = (what: string, isSo: () => boolean) =>
  waitUntil(() => Promise.resolve(isSo() ? true : undefined), { for: what, within: seconds(20), every: millis(5) });

const another = async (supervised: SupervisedServer<RunningServer>, than: number | undefined): Promise<void> => {
  await until('another process', () => supervised.pid !== undefined && supervised.pid !== than);
};

const kill = (pid: number | undefined): void => void process.kill(pid ?? Number.NaN, 'SIGKILL');

describe('a supervised server', () => {
  it('is started again on its port when it was killed, and both are told', async () => {
    const supervisor = new Supervisor();
    const supervised = await supervisor.start();
    const { pid } = supervised;
    kill(pid);
    await another(supervised, pid);
    expect(supervisor.ports).toEqual([undefined, PORT]);
    expect(supervisor.said).toEqual([
      'Sleeper ended (SIGKILL); starting it again',
      `Sleeper runs again (process ${supervised.pid ?? ''})`,
    ]);
  });

  it('is tried again with growing pauses when it can’t be started, each time with the reason', async () => {
    const supervisor = new Supervisor();
    const supervised = await supervisor.start();
    supervisor.failures = 6;
    const { pid } = supervised;
    kill(pid);
    await another(supervised, pid);
    const failed = supervisor.said.filter((line) => line === "Sleeper can't be started: no space left on device");
    expect(failed).toHaveLength(6);
    const pauses = supervisor.startedAt.slice(1).map((at, n) => at - supervisor.startedAt[n]!);
    // 5, 10, 20, 40, 80, 80, 80 after the first; a timer may come a moment early, and late on a busy machine.
    [10, 20, 40, 80, 80, 80].forEach((least, n) => expect(pauses[n + 1]).toBeGreaterThan(least - 2));
  });

  it('begins with the short pause again when it ran long enough', async () => {
    const supervisor = new Supervisor();
    const times = { firstPause: millis(1), longestPause: seconds(60), recoveredAfter: millis(0) };
    const supervised = await supervisor.start({ times });
    for (let n = 0; n < 18; n++) {
      const { pid } = supervised;
      kill(pid);
      // With doubling pauses the last would be two minutes.
      await another(supervised, pid);
    }
  });

  it('is ended when its probe fails three times in a row, by force when it does not heed, and started again', async () => {
    const supervisor = new Supervisor();
    let probes = 0;
    const sick = new Set<number>();
    const probe = ({ pid }: RunningServer): Promise<void> => {
      probes += 1;
      return sick.has(pid) ? Promise.reject(new Error('it answers nothing')) : Promise.resolve();
    };
    const supervised = await supervisor.start({ probe }, false);
    await until('three good probes', () => probes >= 3);
    const { pid } = supervised;
    expect(supervisor.said).toEqual([]);
    sick.add(pid!);
    await another(supervised, pid);
    expect(supervisor.said.slice(0, 2)).toEqual([
      'Sleeper does not do its work (it answers nothing); ending it',
      'Sleeper ended (SIGKILL); starting it again',
    ]);
  });

  it('is left alone when two probes fail and the next does not', async () => {
    const supervisor = new Supervisor();
    let probes = 0;
    const probe = (): Promise<void> => (++probes % 3 === 0 ? Promise.resolve() : Promise.reject(new Error('busy')));
    const supervised = await supervisor.start({ probe });
    const { pid } = supervised;
    await until('many probes', () => probes > 20);
    expect(supervised.pid).toBe(pid);
    expect(supervisor.said).toEqual([]);
  });

  it('stays ended when it is stopped: while it runs, between two starts, and in the middle of one', async () => {
    const supervisor = new Supervisor();
    const running = await supervisor.start();
    await running.stop();
    expect([running.pid, supervisor.ports.length, supervisor.said]).toEqual([undefined, 1, []]);

    const waiting = await supervisor.start({ times: { firstPause: seconds(60) } });
    kill(waiting.pid);
    await until('its end to be noticed', () => supervisor.said.length === 1);
    await waiting.stop();
    expect(waiting.pid).toBeUndefined();

    let late: RunningServer | undefined;
    let goOn: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    let starts = 0;
    const starting = await supervisor.start({
      start: async () => {
        starts += 1;
        if (starts > 1) await gate;
        return (late = await sleeper(PORT));
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

  it('whose first start fails is nobody’s', async () => {
    const supervisor = new Supervisor();
    supervisor.failures = 1;
    await expect(supervisor.start()).rejects.toThrow('no space left on device');
    expect(supervisor.ports).toHaveLength(1);
  });
});
