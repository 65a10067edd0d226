import { ScriptBench } from './script-bench.js';

/** What containerd says of its plugins once it serves. */
export const CRI_UP = `echo 'io.containerd.grpc.v1    cri    linux/amd64    ok'`;

/** A node on which apt, dpkg, systemd and containerd do what they are told; its clock runs fast. */
export const aptNode = (): ScriptBench =>
  new ScriptBench()
    .programs('apt-get', 'apt-mark', 'dpkg')
    .program('systemctl', 'if [ "$1" = is-active ]; then exit 3; fi')
    .program('ctr', CRI_UP)
    .program('sleep', '/bin/sleep 0.02');
