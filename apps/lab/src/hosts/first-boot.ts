import { seconds, type Duration } from '@windlass/foundation';
import type { GuestCredentials } from './guest-seed.js';

/** What a `first-boot` image does while it boots for the first time. */
export interface FirstBoot {
  /** apt-daily holds apt's and dpkg's locks so long, as a first update over a slow line does. A minute by default. */
  locksHeld: Duration;
  /** cloud-init's config stage, which sets the password, begins so long after its turn. 15 seconds by default. */
  passwordAfter: Duration;
}

export const DEFAULT_FIRST_BOOT: FirstBoot = { locksHeld: seconds(60), passwordAfter: seconds(15) };

export interface CloudSeed {
  serverId: string;
  hostname: string;
  /** The server's user_data, as the client gave it. */
  userData: string | undefined;
  /** Public keys of the server's key pair. */
  publicKeys: readonly string[];
}

const inSeconds = (duration: Duration): string => (duration / 1_000).toFixed(1);

/**
 * Files of a fresh disk of a `first-boot` image: cloud-init's NoCloud datasource with the server's user_data and key pair, an image's own account,
 * and what takes long. The stages and their order are cloud-init's and systemd's own.
 */
export function firstBootFiles(seed: CloudSeed, { user, password }: GuestCredentials, times: FirstBoot): Record<string, string> {
  const account = {
    datasource_list: ['NoCloud', 'None'],
    network: { config: 'disabled' },
    ssh_pwauth: true,
    ssh_genkeytypes: ['ed25519', 'ecdsa'],
    manage_etc_hosts: false,
    apt: { preserve_sources_list: true },
    system_info: {
      default_user: { name: user, lock_passwd: false, shell: '/bin/bash', groups: ['sudo'], sudo: ['ALL=(ALL) NOPASSWD:ALL'] },
    },
    users: ['default'],
    // JSON is YAML, and keeps whatever a password has in it.
    chpasswd: { expire: false, list: [`${user}:${password.reveal()}`] },
  };
  const metadata = { 'instance-id': seed.serverId, 'local-hostname': seed.hostname, 'public-keys': seed.publicKeys };
  return {
    'etc/cloud/cloud.cfg.d/90_windlass-lab.cfg': `${JSON.stringify(account)}\n`,
    'var/lib/cloud/seed/nocloud/meta-data': `${JSON.stringify(metadata)}\n`,
    'var/lib/cloud/seed/nocloud/user-data': seed.userData ?? '#cloud-config\n{}\n',
    'etc/systemd/system/cloud-config.service.d/90-windlass-lab.conf': `[Service]\nExecStartPre=/bin/sleep ${inSeconds(times.passwordAfter)}\n`,
    'etc/systemd/system/apt-daily.service.d/90-windlass-lab.conf': `[Service]\nExecStartPre=/usr/bin/python3 ${HOLDER} ${inSeconds(times.locksHeld)}\n`,
    'etc/systemd/system/apt-daily.timer.d/90-windlass-lab.conf':
      '[Timer]\nOnCalendar=\nOnActiveSec=0\nRandomizedDelaySec=0\nAccuracySec=100ms\n',
    [HOLDER.slice(1)]: HOLD_LOCKS,
  };
}

const HOLDER = '/usr/local/lib/windlass-lab/hold-apt-locks.py';

/** Takes the locks as apt and dpkg do (POSIX locks: flock(1) would be another kind), waiting for whoever has them. */
const HOLD_LOCKS = `import fcntl, sys, time
held = []
for name in ("/var/lib/apt/lists/lock", "/var/lib/dpkg/lock-frontend", "/var/lib/dpkg/lock"):
    file = open(name, "a")
    fcntl.lockf(file, fcntl.LOCK_EX)
    held.append(file)
print("holding apt's and dpkg's locks for " + sys.argv[1] + " s")
sys.stdout.flush()
time.sleep(float(sys.argv[1]))
`;
