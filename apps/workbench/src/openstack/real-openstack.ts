import { TerminalError } from '@windlass/foundation';
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What tools/openstack/up.sh prints with `--json`, as far as it is used here. */
interface Printed {
  authUrl: string;
  region: string;
  user: string;
  password: string;
  project: string;
  userDomain: string;
  projectDomain: string;
  admin: { user: string; password: string; project: string };
}

/** A small OpenStack of Debian's packages, for its ordinary user. */
export interface RealOpenStack {
  authUrl: string;
  user: string;
  password: string;
  project: string;
  /** `OS_*` variables, as OpenStack's own clients read them; `OS_ADMIN_*` for tests that make users. */
  environment: Record<string, string>;
  /** The folder of its services' logs. */
  logs: string;
}

const openStackOf = (printed: Printed, data: string): RealOpenStack => ({
  authUrl: printed.authUrl,
  user: printed.user,
  password: printed.password,
  project: printed.project,
  logs: join(data, 'logs'),
  environment: {
    OS_AUTH_URL: printed.authUrl,
    OS_IDENTITY_API_VERSION: '3',
    OS_REGION_NAME: printed.region,
    OS_USERNAME: printed.user,
    OS_PASSWORD: printed.password,
    OS_PROJECT_NAME: printed.project,
    OS_USER_DOMAIN_NAME: printed.userDomain,
    OS_PROJECT_DOMAIN_NAME: printed.projectDomain,
    OS_ADMIN_USERNAME: printed.admin.user,
    OS_ADMIN_PASSWORD: printed.admin.password,
    OS_ADMIN_PROJECT_NAME: printed.admin.project,
  },
});

/**
 * A real small OpenStack for the time of some work; it is purged afterwards. Its packages stay installed.
 * @param kept a folder to have it in instead: one that runs there is used, and it goes on running afterwards
 */
export async function withRealOpenStack<T>(
  home: string,
  work: (openStack: RealOpenStack) => Promise<T>,
  kept?: string,
): Promise<T> {
  const up = async (data: string, portBase: number): Promise<RealOpenStack> => {
    const printed = await output(join(home, SCRIPTS, 'up.sh'), ['--data', data, '--port-base', String(portBase), '--json']);
    return openStackOf(JSON.parse(printed) as Printed, data);
  };
  if (kept !== undefined) return work(await up(kept, (await portBaseIn(kept)) ?? KEPT_PORT_BASE));
  // Its servers run as users of their own, which must be able to reach their data: not below a home folder.
  const data = `/var/lib/windlass/openstack-${process.pid}`;
  try {
    // A block of 20 ports by our pid, so that two of these can run side by side.
    return await work(await up(data, KEPT_PORT_BASE + (process.pid % 500) * 20));
  } finally {
    await output(join(home, SCRIPTS, 'down.sh'), ['--data', data, '--purge']);
  }
}

const SCRIPTS = 'tools/openstack';

/** The scripts' own default. */
const KEPT_PORT_BASE = 15_000;

/** Of an OpenStack that was brought up in that folder before: its ports stand in its own catalog. Keystone has the first. */
async function portBaseIn(data: string): Promise<number | undefined> {
  const settings = await readFile(join(data, 'state/clients.json'), 'utf8').catch(() => undefined);
  if (settings === undefined) return undefined;
  return Number(new URL((JSON.parse(settings) as Pick<Printed, 'authUrl'>).authUrl).port);
}

/** Runs a script, its progress shown; returns what it printed. */
function output(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    const parts: Buffer[] = [];
    child.stdout.on('data', (part: Buffer) => parts.push(part));
    child.on('error', reject);
    child.on('close', (status) => {
      if (status === 0) resolve(Buffer.concat(parts).toString('utf8'));
      else reject(new TerminalError('openstack.script', `${program} ended with status ${status ?? '?'}; its messages are above`));
    });
  });
}
