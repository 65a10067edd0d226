import { TerminalError } from '@windlass/foundation';
import { spawn } from 'node:child_process';
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
}

/** `OS_*` variables, as OpenStack's own clients read them. */
type OpenStackEnvironment = Record<string, string>;

const environmentOf = (printed: Printed): OpenStackEnvironment => ({
  OS_AUTH_URL: printed.authUrl,
  OS_IDENTITY_API_VERSION: '3',
  OS_REGION_NAME: printed.region,
  OS_USERNAME: printed.user,
  OS_PASSWORD: printed.password,
  OS_PROJECT_NAME: printed.project,
  OS_USER_DOMAIN_NAME: printed.userDomain,
  OS_PROJECT_DOMAIN_NAME: printed.projectDomain,
});

/** A real small OpenStack for the time of some work; it is purged afterwards. Its packages stay installed. */
export async function withRealOpenStack<T>(home: string, work: (environment: OpenStackEnvironment) => Promise<T>): Promise<T> {
  // Its servers run as users of their own, which must be able to reach their data: not below a home folder.
  const data = `/var/lib/windlass/openstack-${process.pid}`;
  const folder = join(home, 'tools/openstack');
  // A block of 20 ports by our pid, so that two of these can run side by side.
  const portBase = 15_000 + (process.pid % 500) * 20;
  try {
    const printed = await output(join(folder, 'up.sh'), ['--data', data, '--port-base', String(portBase), '--json']);
    return await work(environmentOf(JSON.parse(printed) as Printed));
  } finally {
    await output(join(folder, 'down.sh'), ['--data', data, '--purge']);
  }
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
