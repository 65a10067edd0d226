import { utimesSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CRI_UP } from '../testing/apt-node.js';
import { ScriptBench } from '@windlass/driver-kit/testing';
import { RUNTIME_IS_SET_UP } from './scripts.js';

const PAUSE = 'registry.k8s.io/pause:3.10.1';
/** As `containerd config dump` prints it, of format 2 or 3. */
const dumped = (options: string, sandbox: string, plugin = 'grpc.v1.cri'): string => `cat << 'END'
[plugins."io.containerd.${plugin}"]
  ${sandbox}
  [plugins."io.containerd.${plugin}".containerd.runtimes.runc.options]
    Root = ""
    ${options}
  [plugins."io.containerd.${plugin}".containerd.runtimes.kata.options]
    ConfigPath = ""
END`;
const STARTED = new Date('2026-11-23T01:20:33.500Z');

describe('a containerd', () => {
  let node: ScriptBench;
  beforeEach(() => {
    node = new ScriptBench()
      .file('etc/containerd/config.toml', '')
      .file('etc/systemd/system/containerd.service.d/windlass-proxy.conf', '')
      .program('systemctl', 'if [ "$1" = show ]; then echo "Mon 2026-11-23 01:20:33.500000 UTC"; fi')
      .program('containerd', dumped('SystemdCgroup = true', `sandbox_image = "${PAUSE}"`))
      .program('ctr', CRI_UP);
    changed('etc/containerd', -100);
    changed('etc/containerd/config.toml', -100);
    changed('etc/systemd/system/containerd.service.d', -100);
    changed('etc/systemd/system/containerd.service.d/windlass-proxy.conf', -100);
  });
  afterEach(() => node.remove());
  /** So many milliseconds after the daemon started. */
  const changed = (file: string, after: number) => {
    const at = new Date(STARTED.getTime() + after);
    utimesSync(node.at(file), at, at);
  };
  const isSetUp = async () => (await node.run(RUNTIME_IS_SET_UP, [PAUSE])).status === 0;

  it('that has started since its files changed, and reads them as ours, is set up', async () => {
    expect(await isSetUp()).toBe(true);
    node.program('containerd', dumped('SystemdCgroup = true', `sandbox = '${PAUSE}'`, 'cri.v1.runtime'));
    expect(await isSetUp()).toBe(true);
  });

  it.each(['etc/containerd/config.toml', 'etc/systemd/system/containerd.service.d/windlass-proxy.conf'])(
    'that still runs with what it read before %s changed is not, whatever stands in the file now',
    async (file) => {
      changed(file, 100);
      expect(await isSetUp()).toBe(false);
    },
  );

  it.each([
    ['reads another cgroup driver', 'containerd', dumped('SystemdCgroup = false', `sandbox = '${PAUSE}'`)],
    [
      'names no cgroup driver for runc, whatever other runtimes have',
      'containerd',
      dumped('', `sandbox = '${PAUSE}'`).replace('ConfigPath = ""', 'SystemdCgroup = true'),
    ],
    ['reads another sandbox image', 'containerd', dumped('SystemdCgroup = true', `sandbox = '${PAUSE}0'`)],
    ['has its CRI plugin disabled', 'ctr', `echo 'io.containerd.grpc.v1    cri    linux/amd64    error'`],
    ['does not run', 'systemctl', 'exit 3'],
  ])('that %s is not', async (_what, program, body) => {
    node.program(program, body);
    expect(await isSetUp()).toBe(false);
  });
});
