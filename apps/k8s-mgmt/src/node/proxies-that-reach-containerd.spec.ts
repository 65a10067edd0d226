import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScriptBench } from '@windlass/driver-kit/testing';
import { UPDATE_PEERS } from './scripts.js';

const BEFORE = 'NO_PROXY=10.10.0.24\n';
const NOW = 'NO_PROXY=10.10.0.24,10.10.0.31\n';
const PROXIES = 'etc/containerd/windlass-proxy.env';

describe('what containerd reaches without a proxy', () => {
  let node: ScriptBench;
  beforeEach(() => {
    node = new ScriptBench()
      .programs('systemctl')
      .program('ctr', `echo 'io.containerd.grpc.v1    cri    linux/amd64    ok'`)
      .file('etc/hosts', '')
      .file('cluster', '')
      .file('proxies', NOW)
      .file(PROXIES, BEFORE);
  });
  afterEach(() => node.remove());
  const update = () => node.run(UPDATE_PEERS, [node.at('cluster'), node.at('proxies')]);
  const restarts = () => node.calls.filter((line) => line === 'systemctl restart containerd').length;

  it('is what has changed once containerd has restarted, which it does once', async () => {
    expect(await update()).toMatchObject({ status: 0, stderr: '' });
    expect(await update()).toMatchObject({ status: 0, stderr: '' });
    expect({ proxies: node.read(PROXIES), restarts: restarts() }).toEqual({ proxies: NOW, restarts: 1 });
    expect(node.has(`${PROXIES}.pending`)).toBe(false);
  });

  it('is what has changed although an attempt ended between the file and the restart: the next one restarts containerd', async () => {
    node.program('systemctl', 'exit 1');
    expect((await update()).status).not.toBe(0);
    expect(node.has(`${PROXIES}.pending`)).toBe(true);
    node.program('systemctl', ':');
    expect(await update()).toMatchObject({ status: 0, stderr: '' });
    expect({ proxies: node.read(PROXIES), restarts: restarts() }).toEqual({ proxies: NOW, restarts: 2 });
    expect(node.has(`${PROXIES}.pending`)).toBe(false);
  });
});
