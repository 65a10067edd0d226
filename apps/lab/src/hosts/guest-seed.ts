import { createHash } from 'node:crypto';
import { TerminalError, type Secret } from '@windlass/foundation';

/** The account of a VM that drivers log in with, by password; it may sudo without one. */
export interface GuestCredentials {
  user: string;
  password: Secret;
}

/** Where a VM's apt gets packages: the lab's own repository. */
export interface GuestRepository {
  url: string;
  key: Buffer;
  /** The .deb files that belong to its image. */
  preinstalled: readonly string[];
}

/** Where a VM finds the registries that clusters pull from, and whose word it takes for them. */
export interface GuestInternet {
  address: string;
  hosts: readonly string[];
  /** The authority's certificate in PEM. */
  authority: string;
}

const AUTHORITY = '/usr/local/share/ca-certificates/windlass-lab.crt';

/** systemd takes no line of a disk where /sys can't be written to, as in a container: this does at boot what it would. */
const FSTAB_UNIT = `[Unit]
Description=windlass-lab: mounts by /etc/fstab what systemd leaves to a udev that is not here
DefaultDependencies=no
Before=local-fs.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/mount --all --types ext4
`;

/** Files of a fresh disk that differ from VM to VM, by path relative to its root. */
export function seedFiles(
  serverId: string,
  hostname: string,
  repository: GuestRepository,
  internet: GuestInternet,
): Record<string, string | Buffer> {
  return {
    'etc/hostname': `${hostname}\n`,
    // sudo looks its own host up; without a line here it would wait for DNS.
    'etc/hosts': `127.0.0.1 localhost\n127.0.1.1 ${hostname}\n::1 localhost ip6-localhost ip6-loopback\n${internet.address} ${internet.hosts.join(' ')}\n`,
    'etc/machine-id': `${createHash('sha256').update(serverId).digest('hex').slice(0, 32)}\n`,
    'etc/ssh/sshd_config.d/50-windlass-lab.conf': 'PasswordAuthentication yes\n',
    'etc/apt/sources.list': `deb [signed-by=/usr/share/keyrings/windlass-lab.gpg] ${repository.url} ./\n`,
    'usr/share/keyrings/windlass-lab.gpg': repository.key,
    [AUTHORITY.slice(1)]: internet.authority,
    'etc/systemd/system/windlass-lab-fstab.service': FSTAB_UNIT,
    'etc/systemd/system/local-fs.target.d/windlass-lab.conf': '[Unit]\nWants=windlass-lab-fstab.service\n',
  };
}

/**
 * What runs once on a fresh disk, as root of the VM before systemd: whom it trusts, packages of the image, and where no cloud-init does it
 * the account and the host keys.
 * @throws TerminalError `lab.credentials` when the account can't be written into `chpasswd`'s format.
 */
export function firstBootScript(account: GuestCredentials, { hasCloudInit, publicKeys = [] }: FirstBootNeeds = {}): string {
  return [
    'set -eu',
    // Later, update-ca-certificates does the same.
    `cat ${AUTHORITY} >> /etc/ssl/certs/ca-certificates.crt`,
    ...(hasCloudInit === true ? [] : accountLines(account, publicKeys)),
    // Triggers wait for the next dpkg: nothing of an image needs them now.
    'if [ -d /run/windlass-lab/packages ]; then DEBIAN_FRONTEND=noninteractive dpkg --no-triggers --install /run/windlass-lab/packages/*.deb; fi',
    '',
  ].join('\n');
}

export interface FirstBootNeeds {
  /** Account and host keys are left to it. */
  hasCloudInit?: boolean;
  /** Of the server's key pair: they may log in as the account, too. */
  publicKeys?: readonly string[];
}

function accountLines({ user, password }: GuestCredentials, publicKeys: readonly string[]): string[] {
  if (!/^[a-z_][a-z0-9_-]{0,31}$/.test(user))
    throw new TerminalError('lab.credentials', `'${user}' is no name for a VM's account`);
  if (/[\n\r]/.test(password.reveal()) || password.reveal() === '')
    throw new TerminalError('lab.credentials', "a VM's password is one line and not empty");
  if (publicKeys.some((key) => /[\n\r]/.test(key))) throw new TerminalError('lab.credentials', 'a public key is one line');
  return [
    `id -u ${user} > /dev/null 2>&1 || useradd --create-home --shell /bin/bash --groups sudo ${user}`,
    "chpasswd << 'END_OF_ACCOUNT'",
    `${user}:${password.reveal()}`,
    'END_OF_ACCOUNT',
    `echo '${user} ALL=(ALL) NOPASSWD:ALL' > /etc/sudoers.d/90-windlass-lab`,
    'chmod 0440 /etc/sudoers.d/90-windlass-lab',
    // No RSA key: it takes up to a second, and every client of today knows the others.
    'rm -f /etc/ssh/ssh_host_*',
    "for kind in ed25519 ecdsa; do ssh-keygen -q -t $kind -N '' -C '' -f /etc/ssh/ssh_host_${kind}_key; done",
    ...(publicKeys.length === 0
      ? []
      : [
          `install -d -m 0700 -o ${user} -g ${user} /home/${user}/.ssh`,
          `cat > /home/${user}/.ssh/authorized_keys << 'END_OF_KEYS'`,
          ...publicKeys.map((key) => key.trim()),
          'END_OF_KEYS',
          `chown ${user}:${user} /home/${user}/.ssh/authorized_keys`,
        ]),
  ];
}

/** The first hostname of a server, made from its name as Nova does. */
export function guestHostname(serverName: string): string {
  const name = serverName
    .toLowerCase()
    .replaceAll(/[ _.]+/g, '-')
    .replaceAll(/[^a-z0-9-]/g, '')
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, '');
  return name === '' ? 'host' : name;
}
