import { describe } from 'vitest';
import { describeAttempts } from './hosts-contract-attempts.js';
import { describeFiles } from './hosts-contract-files.js';
import { describeJobs } from './hosts-contract-jobs.js';
import type { HostsUnderTest } from './hosts-under-test.js';

export { failureOf, untilRunning, type HostsUnderTest } from './hosts-under-test.js';

/** The contract of all Hosts: those over SSH and the fake. Each test has new hosts, and tests run side by side. */
export function describeHosts(name: string, make: () => Promise<HostsUnderTest>): void {
  describe.concurrent(`hosts ${name}`, () => {
    describeJobs(make);
    describeAttempts(make);
    describeFiles(make);
  });
}
