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

/** Files of a fresh disk that differ from VM to VM, by path relative to its root. */
export function seedFiles(serverId: string, hostname: string, repository: GuestRepository): Record<string, string | Buffer> {
  return {
    'etc/hostname': `${hostname}\n`,
    // sudo looks its own host up; without a line here it would wait for DNS.
    'etc/hosts': `127.0.0.1 localhost\n127.0.1.1 ${hostname}\n::1 localhost ip6-localhost ip6-loopback\n`,
    'etc/machine-id': `${createHash('sha256').update(serverId).digest('hex').slice(0, 32)}\n`,
    'etc/ssh/sshd_config.d/50-windlass-lab.conf': 'PasswordAuthentication yes\n',
    'etc/apt/sources.list': `deb [signed-by=/usr/share/keyrings/windlass-lab.gpg] ${repository.url} ./\n`,
    'usr/share/keyrings/windlass-lab.gpg': repository.key,
  };
}

/**
 * What runs once on a fresh disk, as root of the VM before systemd: the account, the host keys, and packages of the image.
 * @throws TerminalError `lab.credentials` when the account can't be written into `chpasswd`'s format.
 */
export function firstBootScript({ user, password }: GuestCredentials): string {
  if (!/^[a-z_][a-z0-9_-]{0,31}$/.test(user))
    throw new TerminalError('lab.credentials', `'${user}' is no name for a VM's account`);
  if (/[\n\r]/.test(password.reveal()) || password.reveal() === '')
    throw new TerminalError('lab.credentials', "a VM's password is one line and not empty");
  return [
    'set -eu',
    `id -u ${user} > /dev/null 2>&1 || useradd --create-home --shell /bin/bash --groups sudo ${user}`,
    "chpasswd << 'END_OF_ACCOUNT'",
    `${user}:${password.reveal()}`,
    'END_OF_ACCOUNT',
    `echo '${user} ALL=(ALL) NOPASSWD:ALL' > /etc/sudoers.d/90-windlass-lab`,
    'chmod 0440 /etc/sudoers.d/90-windlass-lab',
    // No RSA key: it takes up to a second, and every client of today knows the others.
    'rm -f /etc/ssh/ssh_host_*',
    "for kind in ed25519 ecdsa; do ssh-keygen -q -t $kind -N '' -C '' -f /etc/ssh/ssh_host_${kind}_key; done",
    // Triggers wait for the next dpkg: nothing of an image needs them now.
    'if [ -d /run/windlass-lab/packages ]; then DEBIAN_FRONTEND=noninteractive dpkg --no-triggers --install /run/windlass-lab/packages/*.deb; fi',
    '',
  ].join('\n');
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
