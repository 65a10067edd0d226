import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aptNode } from '../testing/apt-node.js';
import type { ScriptBench } from '../testing/script-bench.js';
import { INSTALL_RUNTIME } from './scripts.js';

const PAUSE = 'registry.k8s.io/pause:3.10.1';

/** What matters of `containerd config default` of Debian 12's 1.6.20, in its order and indentation. */
const FORMAT_2 = `version = 2
[plugins]
  [plugins."io.containerd.grpc.v1.cri"]
    sandbox_image = "registry.k8s.io/pause:3.6"
    [plugins."io.containerd.grpc.v1.cri".cni]
      bin_dir = "/opt/cni/bin"
      conf_dir = "/etc/cni/net.d"
    [plugins."io.containerd.grpc.v1.cri".containerd]
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
`;

/** The same of 2.1, which quotes otherwise and verifies images with whatever lies in a folder. */
const FORMAT_3 = `version = 3
[plugins]
  [plugins.'io.containerd.cri.v1.images']
    [plugins.'io.containerd.cri.v1.images'.pinned_images]
      sandbox = 'registry.k8s.io/pause:3.10'
  [plugins.'io.containerd.cri.v1.runtime']
    [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
      SystemdCgroup = false
    [plugins.'io.containerd.cri.v1.runtime'.cni]
      bin_dir = ''
      bin_dirs = ['/opt/cni/bin']
      conf_dir = '/etc/cni/net.d'
  [plugins.'io.containerd.image-verifier.v1.bindir']
    bin_dir = '/opt/containerd/image-verifier/bin'
    max_verifiers = 10
`;

describe('the configuration of containerd', () => {
  let node: ScriptBench;
  beforeEach(() => {
    node = aptNode();
  });
  afterEach(() => node.remove());

  const configured = async (byDefault: string): Promise<string[]> => {
    node
      .file('default.toml', byDefault)
      .program('containerd', `cat ${node.at('default.toml')}`)
      .file('proxies', '');
    const end = await node.run(INSTALL_RUNTIME, [PAUSE, node.at('proxies')]);
    expect(end).toMatchObject({ status: 0 });
    const before = byDefault.split('\n');
    const after = node.read('etc/containerd/config.toml').split('\n');
    expect(after).toHaveLength(before.length);
    return after.filter((line, at) => line !== before[at]).map((line) => line.trim());
  };

  it('of format 2 (1.x) differs from its own default in the cgroup driver and the sandbox image alone', async () => {
    expect(await configured(FORMAT_2)).toEqual([`sandbox_image = "${PAUSE}"`, 'SystemdCgroup = true']);
  });

  it('of format 3 (2.x) does so too: the folder of image verifiers stays what it was, or every pull would fail', async () => {
    expect(await configured(FORMAT_3)).toEqual([`sandbox = '${PAUSE}'`, 'SystemdCgroup = true']);
  });

  it('without a cgroup driver to set is refused, and says what was looked for', async () => {
    node.program('containerd', 'echo version = 4').file('proxies', '');
    const end = await node.run(INSTALL_RUNTIME, [PAUSE, node.at('proxies')]);
    expect(end.status).toBe(1);
    expect(end.stderr).toContain('no SystemdCgroup');
  });
});
