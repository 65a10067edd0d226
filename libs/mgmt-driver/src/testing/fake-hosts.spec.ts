import { randomBytes } from 'node:crypto';
import { cmd } from '../cmd.js';
import { millis, seconds } from '@windlass/foundation';
import { FakeHosts } from './fake-hosts.js';
import { realClock, type FakeClock } from './fake-machine.js';
import { describeHosts } from './hosts-contract.js';
import type { WorkBehaviour } from './hosts-under-test.js';

/** The clock here runs twenty times as fast as the real one. */
const began = Date.now();
const fastClock: FakeClock = {
  now: () => began + (Date.now() - began) * 20,
  sleep: (duration, signal) => realClock.sleep(millis(duration / 20), signal),
};

describeHosts('in memory', () => {
  const behaviours = new Map<string, WorkBehaviour>();
  let looks = 0;
  const hosts = new FakeHosts({ clock: fastClock })
    .on(/^work /, ({ command, kind }) => {
      const [, name = '', id = ''] = command.split(' ');
      if (kind === 'run') looks += 1;
      return behaviours.get(`${name} ${id}`) ?? {};
    })
    .on(/^show /, ({ command, input, env, files }) => ({
      stdout: `${input.trimEnd()}\n${env.TOKEN ?? ''}\n${files.get(command.split(' ')[1] ?? '') ?? ''}`,
    }));
  const target = { resourceId: randomBytes(4).toString('hex'), address: '192.0.2.1', username: 'ubuntu' };
  const named = (name: string) => hosts.processes.filter(({ command }) => command.split(' ')[1] === name);
  return Promise.resolve({
    hosts,
    target,
    folder: '/tmp',
    visibly: seconds(25),
    work: (name: string, behaviour: WorkBehaviour = {}) => {
      const id = `b${behaviours.size}`;
      behaviours.set(`${name} ${id}`, behaviour);
      return cmd`work ${name} ${id}`;
    },
    show: (path: string) => cmd`show ${path}`,
    begun: (name: string) => Promise.resolve(named(name).length + looks),
    running: (name: string) => Promise.resolve(named(name).filter(({ endedAt }) => endedAt === undefined).length),
    reboot: () => Promise.resolve(hosts.machine(target.resourceId).reboot()),
    cutOff: () => {
      hosts.machine(target.resourceId).unreachable = true;
      return Promise.resolve();
    },
  });
});
