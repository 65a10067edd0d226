import { installHostPackages, type HostPackage } from '@windlass/lab';

/** Debian packages whose programs the tests start; the lab and the real OpenStack bring their own when they are begun. */
const TEST_PACKAGES: readonly HostPackage[] = [
  { name: 'openssh-server', program: 'sshd', why: 'is the real sshd that jobs on hosts are tested against' },
  { name: 'openssh-client', program: 'ssh-keygen', why: 'makes the keys of those tests' },
  { name: 'sudo', program: 'sudo', why: 'is how jobs become root for a user who is not' },
  { name: 'ansible-core', program: 'ansible-playbook', why: "plays playbooks of kubespray's names" },
  { name: 'sshpass', program: 'sshpass', why: 'logs Ansible in by password' },
  { name: 'shellcheck', program: 'shellcheck', why: 'reads the scripts that run on nodes' },
  { name: 'gpg', program: 'gpg', why: 'makes and reads the keys of package repositories' },
  { name: 'gpg-agent', program: 'gpg-agent', why: 'holds those that are made' },
  { name: 'openssl', program: 'openssl', why: 'makes the certificates of links to NATS' },
  { name: 'bubblewrap', program: 'bwrap', why: 'is the sandbox in which scripts of packages run' },
  { name: 'python3', program: 'python3', why: 'runs those that are in Python' },
  { name: 'haproxy', program: 'haproxy', why: 'is the load balancer of clusters, tried with its configuration' },
  { name: 'keepalived', program: 'keepalived', why: 'reads the configuration of a virtual address' },
  { name: 'docker-registry', program: 'docker-registry', why: 'is the registry that nodes pull from' },
  { name: 'jq', program: 'jq', why: 'reads answers in the commands of guides' },
  { name: 'chromium-headless-shell', program: 'chromium-headless-shell', why: 'is the browser in which the dashboard is tried' },
  { name: 'faketime', program: 'faketime', why: 'lets clocks jump' },
];

/** The command line of OpenStack with the part that speaks SOL003, as Debian packages them: for the suite that runs it, and for no other. */
const CLIENT_PACKAGES: readonly HostPackage[] = [
  { name: 'python3-openstackclient', program: 'openstack', why: 'is the command line that operators have' },
  { name: 'python3-tackerclient', program: 'tacker', why: 'is the part of it that speaks to a VNFM' },
  { name: 'python3-heatclient', program: 'heat', why: 'is the part of it that shows the stacks of a VNF' },
];

/** For playbooks under the ansible-cores of PyPI: for the variations of `int` that run them, and not for the gate. */
const PYPI_PACKAGES: readonly HostPackage[] = [
  { name: 'python3-pip', program: 'pip3', why: 'fetches the releases of ansible-core that playbooks are run under' },
];

/** For the suite that builds the image and runs docker-compose.yml. */
const CONTAINER_PACKAGES: readonly HostPackage[] = [
  { name: 'podman', program: 'podman', why: 'runs containers' },
  { name: 'buildah', program: 'buildah', why: 'builds images' },
  { name: 'runc', program: 'runc', why: 'starts their processes, on hybrid cgroups too' },
  { name: 'netavark', program: '../lib/podman/netavark', why: 'makes the networks of containers' },
  { name: 'aardvark-dns', program: '../lib/podman/aardvark-dns', why: 'tells containers each other’s addresses' },
  { name: 'iptables', program: 'iptables', why: 'is what networks and published ports are made with' },
  { name: 'catatonit', program: 'catatonit', why: 'is the first process of containers that want one' },
  { name: 'debootstrap', program: 'debootstrap', why: 'makes what images begin with' },
  ...PYPI_PACKAGES,
];

/** Installs what is missing of them. @throws TerminalError `lab.host-packages` saying what to install by hand. */
export const installTestPackages = ({
  client,
  pypi,
  containers,
}: {
  client: boolean;
  pypi: boolean;
  containers: boolean;
}): Promise<void> =>
  installHostPackages(
    (line) => console.log(line),
    [
      ...TEST_PACKAGES,
      ...(client ? CLIENT_PACKAGES : []),
      ...(pypi && !containers ? PYPI_PACKAGES : []),
      ...(containers ? CONTAINER_PACKAGES : []),
    ],
  );
