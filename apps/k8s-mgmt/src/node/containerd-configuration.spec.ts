import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aptNode, BY_DEFAULT, containerd, runtimeArguments } from '../testing/apt-node.js';
import type { ScriptBench } from '@windlass/driver-kit/testing';
import { INSTALL_RUNTIME } from './scripts.js';

const PAUSE = 'registry.k8s.io/pause:3.10.1';

/** `containerd config default` of Debian 12's package, and of the first of Debian's later releases, as they were printed. */
const recorded = (version: string): string =>
  readFileSync(new URL(`../testing/recorded/containerd-${version}.toml`, import.meta.url), 'utf8');

describe('the configuration of containerd', () => {
  let node: ScriptBench;
  beforeEach(() => {
    node = aptNode();
  });
  afterEach(() => node.remove());

  const configured = async (version: string): Promise<string[]> => {
    const byDefault = recorded(version);
    containerd(node, version, byDefault);
    expect(await node.run(INSTALL_RUNTIME, runtimeArguments(node, PAUSE))).toMatchObject({ status: 0 });
    const before = byDefault.split('\n');
    const after = node.read('etc/containerd/config.toml').split('\n');
    expect(after).toHaveLength(before.length);
    return after.filter((line, at) => line !== before[at]).map((line) => line.trim());
  };

  it('of format 2 (1.x) differs from its own default in the cgroup driver and the sandbox image alone', async () => {
    expect(await configured('1.6.20')).toEqual([`sandbox_image = "${PAUSE}"`, 'SystemdCgroup = true']);
  });

  it('of format 3 (2.x) does so too: the folder of image verifiers stays what it was, or every pull would fail', async () => {
    expect(await configured('2.1.9')).toEqual([`sandbox = '${PAUSE}'`, 'SystemdCgroup = true']);
  });

  it.each(['1.6.20', '2.1.9'])(
    'that names no cgroup driver by default (2.1.0 to 2.1.4) gets it among runc’s own options, in the format of %s too',
    async (version) => {
      const lines = recorded(version).split('\n');
      containerd(node, '2.1.3', lines.filter((line) => !line.includes('SystemdCgroup')).join('\n'));
      expect(await node.run(INSTALL_RUNTIME, runtimeArguments(node, PAUSE))).toMatchObject({ status: 0 });
      const after = node.read('etc/containerd/config.toml').split('\n');
      const at = after.findIndex((line) => line.includes('SystemdCgroup'));
      expect(after[at]).toBe('            SystemdCgroup = true');
      expect(after[at - 1]).toContain('.containerd.runtimes.runc.options]');
      expect(after).toHaveLength(lines.length);
    },
  );

  it('without a place for the cgroup driver is refused: the node, its version and what to do are named', async () => {
    containerd(node, '3.0.0', 'version = 4\n');
    const end = await node.run(INSTALL_RUNTIME, runtimeArguments(node, PAUSE));
    expect(end.status).toBe(1);
    expect(end.stderr).toContain('worker31: containerd 3.0.0 has no table of runc');
    expect(end.stderr).toContain('CONTAINERD_APT_SOURCE');
  });

  it('that containerd does not take as it stands there is refused: no node runs with another cgroup driver unnoticed', async () => {
    containerd(node, '2.1.3', BY_DEFAULT, `cat ${node.at('default.toml')}`);
    const end = await node.run(INSTALL_RUNTIME, runtimeArguments(node, PAUSE));
    expect(end.status).toBe(1);
    expect(end.stderr).toContain('worker31: containerd 2.1.3 does not take SystemdCgroup = true');
  });
});
