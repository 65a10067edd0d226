import { ScriptBench } from '@windlass/driver-kit/testing';

/** The script of a `ctr` that lists containerd's plugins as serving. */
export const CRI_UP = `echo 'io.containerd.grpc.v1    cri    linux/amd64    ok'`;

/** A node on which apt, dpkg, systemd and containerd are scripted, and whose clock runs fast. */
export const aptNode = (): ScriptBench =>
  new ScriptBench()
    .programs('apt-get', 'apt-mark', 'dpkg')
    .program('hostname', 'echo worker31')
    .program('systemctl', 'if [ "$1" = is-active ]; then exit 3; fi')
    .program('ctr', CRI_UP)
    .program('sleep', '/bin/sleep 0.02');

/** The arguments of INSTALL_RUNTIME for the distribution's containerd. */
export const runtimeArguments = (node: ScriptBench, pauseImage = 'pause'): string[] => [
  pauseImage,
  node.file('proxies', '').at('proxies'),
  'containerd',
  '1',
  '',
  '',
  '',
];

/** The smallest default configuration that can be set up, in format 2. */
export const BY_DEFAULT = `version = 2
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
  SystemdCgroup = false
`;

/** The script of a containerd with a version and a default configuration, which accepts the whole configuration unless `dump` (bash) is given. */
export const containerd = (
  node: ScriptBench,
  version: string,
  byDefault = BY_DEFAULT,
  dump = 'cat /etc/containerd/config.toml',
): ScriptBench =>
  node.file('default.toml', byDefault).program(
    'containerd',
    `case "$*" in
    --version) echo "containerd github.com/containerd/containerd ${version} x" ;;
    'config dump') ${dump} ;;
    *) cat ${node.at('default.toml')} ;;
    esac`,
  );
