import { driverBench, hookContextOf, vnfc, type CrashPoints } from '@windlass/driver-kit/testing';
import type { JsonObject } from '@windlass/foundation';
import { FakeHosts } from '@windlass/mgmt-driver/testing';
import { noticeParts } from './product/service.js';

export const PASSWORD = 'hunter2-of-the-vms';
export const TEXT = 'Maintained by Windlass: changes by hand are lost.';

/** `additionalParams` for the driver. */
export const paramsFor = (cp: string): JsonObject => ({
  notice: { text: TEXT, ssh_cp_name: cp, username: 'ubuntu', password: PASSWORD },
});

/** Machines that do what the driver's scripts say: each server's notice, by its resource id. */
export function machines(points: CrashPoints = {}): { hosts: FakeHosts; notices: Map<string, string> } {
  const notices = new Map<string, string>();
  const hosts = new FakeHosts(points)
    .on(/cmp -s/, ({ machine, input }) => ({ status: notices.get(machine.resourceId) === input ? 0 : 1 }))
    .on(/script\.sh/, ({ machine: { resourceId }, files }) => {
      const content = (name: string): string => [...files].find(([path]) => path.endsWith(`/${name}`))?.[1] ?? '';
      const effect = content('script.sh').startsWith('install')
        ? () => void notices.set(resourceId, content('notice'))
        : () => void notices.delete(resourceId);
      return { effect };
    });
  return { hosts, notices };
}

/** Two VMs with the CP and one without it. */
export const hook = hookContextOf({
  vnfcs: [vnfc('a', 'CP1', '10.0.0.1'), vnfc('b', 'CP1', '10.0.0.2'), vnfc('c', 'CP2', '10.0.0.3')],
});

/** The driver's plan for them, and fake machines to run it on. */
export function bench(points: CrashPoints = {}) {
  const { hosts, notices } = machines(points);
  return { notices, ...driverBench({ parts: noticeParts, hook, params: paramsFor('CP1'), hosts, ...points }) };
}
