import os from 'node:os';
import type { StandinPackage } from './standin-package.js';

/**
 * runc of the VMs. A negative oom_score_adj needs a right that a user namespace never has: containers get 0 in its place. It does what
 * containerd's `restrict_oom_score_adj` does, for a configuration that node scripts write anew.
 */
const RUNC = `#!/bin/sh
# windlass-lab: a VM's root may not lower oom_score_adj, so a container that asks for it gets 0.
create='' bundle=. last=''
for argument in "$@"; do
  case $argument in create | run) create=1 ;; esac
  case $last in --bundle | -b) bundle=$argument ;; esac
  last=$argument
done
if [ -n "$create" ] && [ -f "$bundle/config.json" ]; then
  sed -i 's/"oomScoreAdj": *-[0-9]*/"oomScoreAdj":0/' "$bundle/config.json"
fi
exec /usr/sbin/runc "$@"
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
