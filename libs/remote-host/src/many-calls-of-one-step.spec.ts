import { getEventListeners } from 'node:events';
import { seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { hostRun } from '@windlass/mgmt-driver/testing';
import { expect, it } from 'vitest';
import { MemoryHostKeys } from './connection/host-keys.js';
import { RemoteHosts } from './remote-hosts.js';

it('many calls of one step may wait for its end at once, without a warning of a leak, and leave no listener', async () => {
  const warnings: string[] = [];
  const note = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', note);
  const hosts = new RemoteHosts({ hostKeys: new MemoryHostKeys(), patience: seconds(1) });
  try {
    const run = { ...hostRun(), signal: new AbortController().signal };
    // The discard port: nothing listens there.
    const host = hosts.host({ resourceId: 'server', address: '127.0.0.1', port: 9, username: 'u' }, run);
    const calls = Array.from({ length: 20 }, () => host.run(cmd`true`, { within: seconds(5) }).catch(String));
    await new Promise(setImmediate);
    expect(getEventListeners(run.signal, 'abort')).toHaveLength(20);
    expect(warnings).toEqual([]);
    hosts.close();
    await Promise.all(calls);
    expect(getEventListeners(run.signal, 'abort')).toEqual([]);
  } finally {
    process.off('warning', note);
    hosts.close();
  }
});
