import os from 'node:os';
import type { StandinPackage } from '../debian/standin-package.js';

/** What a hook of a container's does: see {@link RUNC}. */
const HOOK = '/usr/local/lib/windlass-lab/own-settings';

/**
 * runc of the VMs. Two things that a user namespace never may are taken out of what containers ask for. A negative oom_score_adj: they get 0,
 * as by containerd's `restrict_oom_score_adj`, for a configuration that node scripts write anew. And settings of the machine's connection
 * tracking, which kube-proxy reads and writes: a privileged container has files of the VM's in their place.
 */
const RUNC = `#!/bin/sh
# windlass-lab: takes out of a container's configuration what the root of a VM may not do.
create='' bundle=. last=''
for argument in "$@"; do
  case $argument in create | run) create=1 ;; esac
  case $last in --bundle | -b) bundle=$argument ;; esac
  last=$argument
done
if [ -n "$create" ] && [ -f "$bundle/config.json" ]; then
  sed -i 's/"oomScoreAdj": *-[0-9]*/"oomScoreAdj":0/' "$bundle/config.json"
  # Privileged are those to whom no path is read-only.
  if ! grep -qE '"readonlyPaths"|"hooks"' "$bundle/config.json"; then
    sed -i '1s#^{#{"hooks":{"createContainer":[{"path":"${HOOK}"}]},#' "$bundle/config.json"
  fi
fi
exec /usr/sbin/runc "$@"
`;

/** Runs in the container's mounts before its root is its own; the container's state is on its standard input. */
const OWN_SETTINGS = `#!/bin/sh
set -eu
bundle=$(sed -n 's/.*"bundle": *"\\([^"]*\\)".*/\\1/p')
mkdir -p /run/windlass-lab-settings
for setting in proc/sys/net/netfilter/nf_conntrack_max sys/module/nf_conntrack/parameters/hashsize; do
  [ -e "$bundle/rootfs/$setting" ] || continue
  own=/run/windlass-lab-settings/\${setting##*/}
  [ -e "$own" ] || echo 131072 > "$own"
  mount --bind "$own" "$bundle/rootfs/$setting"
done
`;

/** What a VM's image has beyond the base root, so that containers can run in it. */
export function containersPackage(modules: readonly string[], release = os.release()): StandinPackage {
  const folder = `/lib/modules/${release}`;
  return {
    name: 'windlass-lab-containers',
    version: '1',
    // Node scripts call modprobe before they install anything.
    preinstalled: true,
    description:
      "windlass-lab: the modules that the machine's kernel has, for modprobe, and a runc that asks for no right that VMs have not",
    files: [
      { path: '/usr/local/sbin/runc', mode: 0o755, content: RUNC },
      { path: HOOK, mode: 0o755, content: OWN_SETTINGS },
      // The kernel is the machine's: what it has is built in, seen from a VM.
      {
        path: `${folder}/modules.builtin`,
        mode: 0o644,
        content: modules.map((name) => `kernel/machine/${name}.ko\n`).join(''),
      },
      { path: `${folder}/modules.order`, mode: 0o644, content: '' },
    ],
    postinst: `#!/bin/sh\nset -e\ndepmod ${release}\n`,
  };
}
