import {
  probeJetStream,
  startNats,
  startPostgres,
  Supervisor,
  type Log,
  type NatsUser,
  type RunningNats,
  type RunningPostgres,
  type RunningProcess,
  type Supervision,
} from '@windlass/embedded';
import { join } from 'node:path';
import { LogFile } from './log-file.js';
import type { DeploymentSecrets } from './secrets-file.js';
import { natsUsersOf } from './services.js';
import { admittedUsers, onAdmission } from './third-parties.js';

export interface OwnServersOptions {
  dataDir: string;
  /** Given ones instead of our own. */
  databaseUrl?: string;
  natsUrl?: string;
  /** Syncs to disk as an operator wants it. */
  durable: boolean;
  say: (line: string) => void;
}

/** PostgreSQL and NATS of a deployment, as far as they are not given: started again when they end, or when JetStream answers nothing any more. */
export class OwnServers {
  private constructor(
    readonly databaseUrl: string,
    readonly natsUrl: string,
    readonly postgres: Supervisor<RunningPostgres> | undefined,
    readonly nats: Supervisor<RunningNats> | undefined,
    private readonly unhear: () => void,
  ) {}

  static async start(options: OwnServersOptions, secrets: DeploymentSecrets): Promise<OwnServers> {
    // Neither needs the other.
    const [ofPostgres, ofNats] = await Promise.allSettled([
      options.databaseUrl === undefined ? keptPostgres(options) : undefined,
      options.natsUrl === undefined ? supervisedNats(options, secrets) : undefined,
    ]);
    if (ofPostgres.status === 'rejected' || ofNats.status === 'rejected') {
      for (const one of [ofPostgres, ofNats]) if (one.status === 'fulfilled') await one.value?.supervisor.stop();
      throw [ofPostgres, ofNats].find((one) => one.status === 'rejected')?.reason;
    }
    const [postgres, nats] = [ofPostgres.value, ofNats.value];
    const databaseUrl = options.databaseUrl ?? postgres?.first.url ?? '';
    const natsUrl = options.natsUrl ?? nats?.first.url ?? '';
    const setUsers = () => nats?.supervisor.running?.setUsers(usersOf(options, secrets));
    const unhear = onAdmission(options.dataDir, setUsers, options.say);
    return new OwnServers(databaseUrl, natsUrl, postgres?.supervisor, nats?.supervisor, unhear);
  }

  async stop(): Promise<void> {
    this.unhear();
    await Promise.all([this.nats?.stop(), this.postgres?.stop()]);
  }
}

/** A server of ours, and what starts it again: its URL and passwords stay those of the first start. */
interface Supervised<S extends RunningServer> {
  first: S;
  supervisor: Supervisor<S>;
}

type RunningServer = RunningProcess & { readonly port: number };

/** @param start on the port that it chooses (0), and on that one ever after: clients keep their URL */
function supervised<S extends RunningServer>(
  name: string,
  start: (port: number) => Promise<S>,
  { say, probe }: Pick<OwnServersOptions, 'say'> & Pick<Supervision<S>, 'probe'>,
): Promise<Supervised<S>> {
  return Supervisor.start<S>({
    name,
    start: async (before) => {
      const server = await start(before?.port ?? 0);
      if (before !== undefined) say(`${name} runs again (process ${server.pid})`);
      return server;
    },
    say,
    ...(probe === undefined ? {} : { probe }),
  });
}

function supervisedPostgres({ dataDir, durable, say }: OwnServersOptions): Promise<Supervised<RunningPostgres>> {
  const log = logTo(dataDir, 'postgres');
  const start = (port: number) => startPostgres({ dataDir: join(dataDir, 'postgres'), port, durable, log });
  return supervised('PostgreSQL', start, { say });
}

/**
 * PostgreSQL with the schema of this release. Of our own server we have the superuser, so services get no way to change the audit trail.
 */
async function keptPostgres(options: OwnServersOptions): Promise<Supervised<RunningPostgres>> {
  const starting = supervisedPostgres(options);
  try {
    // Loaded while the server starts: it is large.
    const [{ first }, { separateTrail }] = await Promise.all([starting, import('./kept-trail.js')]);
    const { url, adminUrl } = first;
    const admin = new URL(adminUrl);
    admin.pathname = new URL(url).pathname;
    await separateTrail({ services: url, admin: admin.href });
    return await starting;
  } catch (error) {
    await starting.then(({ supervisor }) => supervisor.stop());
    throw error;
  }
}

function supervisedNats(options: OwnServersOptions, secrets: DeploymentSecrets): Promise<Supervised<RunningNats>> {
  const { dataDir, say } = options;
  const log = logTo(dataDir, 'nats');
  const start = (port: number) => startNats({ dataDir: join(dataDir, 'nats'), port, users: usersOf(options, secrets), log });
  return supervised('NATS', start, { say, probe: (nats) => probeJetStream(nats) });
}

/** Our own services, and those of third parties that were admitted to this folder. */
const usersOf = ({ dataDir, say }: OwnServersOptions, { natsPasswords }: DeploymentSecrets): NatsUser[] => [
  ...natsUsersOf(natsPasswords),
  ...admittedUsers(dataDir, say),
];

/** What the server says of itself, beside the services' logs. */
function logTo(dataDir: string, name: string): Log {
  const file = new LogFile(join(dataDir, 'logs', `${name}.log`));
  return (line) => void file.write(`${line}\n`);
}
