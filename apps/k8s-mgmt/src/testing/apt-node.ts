import { ScriptBench } from '@windlass/driver-kit/testing';

/** What containerd says of its plugins once it serves. */
export const CRI_UP = `echo 'io.containerd.grpc.v1    cri    linux/amd64    ok'`;

/** A node on which apt, dpkg, systemd and containerd do what they are told; its clock runs fast. */
export const aptNode = (): ScriptBench =>
  new ScriptBench()
    .programs('apt-get', 'apt-mark', 'dpkg')
    .program('hostname', 'echo worker31')
    .program('systemctl', 'if [ "$1" = is-active ]; then exit 3; fi')
    .program('ctr', CRI_UP)
    .program('sleep', '/bin/sleep 0.02');

/** Arguments of INSTALL_RUNTIME: the distribution's containerd, whichever it is. */
export const runtimeArguments = (node: ScriptBench, pauseImage = 'pause'): string[] => [
  pauseImage,
  node.file('proxies', '').at('proxies'),
  'containerd',
  '1',
  '',
  '',
  '',
];

/** The least of a default configuration that can be set up: format 2. */
export const BY_DEFAULT = `version = 2
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
  SystemdCgroup = false
`;

/** containerd of a version, whose default configuration is that text; what it takes of a configuration is the whole, unless `dump` (bash) says otherwise. */
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
