import { InvariantError } from '@windlass/foundation';

/** What a user may do. Subjects may hold the wildcards `*` and `>`. */
export interface NatsPermissions {
  publish: readonly string[];
  subscribe: readonly string[];
}

/** One NATS user. Without permissions it may do everything. */
export interface NatsUser {
  name: string;
  /** In plain text, as a bcrypt hash (`$2a$...`), or as a variable of the server's environment (`$NAME`). Printable ASCII. */
  password: string;
  permissions?: NatsPermissions;
}

export interface NatsSettings {
  serverName: string;
  port: number;
  /** Port of the read-only HTTP monitoring on 127.0.0.1; it needs no password, so it is off unless given. */
  monitoringPort?: number;
  /** Where streams lie, seen from the server. */
  storeDir: string;
  users: readonly NatsUser[];
  /** Largest message in bytes. */
  maxPayload: number;
  /** Room for all streams on disk in bytes. */
  maxStorage: number;
}

/** A string in nats-server's configuration language; its quoting knows less than JSON's, so only what both read alike is let in. */
function quoted(text: string, what: string): string {
  if (!/^[ !#-[\]-~]*$/.test(text)) throw new InvariantError(`${what} has characters that a NATS configuration can't hold`);
  return `"${text}"`;
}

/** A password, or the variable that stands for one: `$NAME`, looked up in the server's environment. */
const passwordOf = ({ name, password }: NatsUser): string =>
  /^\$[A-Z][A-Z0-9_]*$/.test(password) ? password : quoted(password, `the password of ${name}`);

const list = (subjects: readonly string[]): string =>
  `[${subjects.map((subject) => quoted(subject, `subject ${subject}`)).join(', ')}]`;

function userLines(user: NatsUser): string {
  const { name, permissions } = user;
  const identity = `user: ${quoted(name, 'a user name')}, password: ${passwordOf(user)}`;
  if (permissions === undefined) return `    { ${identity} }`;
  // allow_responses: who serves requests answers to the inbox of whoever asked, once, and needs no standing right to publish there.
  return `    { ${identity}, permissions: {
        publish: { allow: ${list(permissions.publish)} }
        subscribe: { allow: ${list(permissions.subscribe)} }
        allow_responses: { max: 1, expires: "5m" }
    } }`;
}

/** The text of nats-server's configuration. It holds passwords: its file is 0600. */
export function natsConfig(settings: NatsSettings): string {
  if (settings.users.length === 0) throw new InvariantError('a NATS server without users would let everybody in');
  // Pings: a client that hangs or was cut off without a word leaves its queue groups after 10 to 15 s. By default (2 min, 2 unanswered) it would be
  // given its share of all requests for some five minutes, each of which then waits for nothing.
  return `server_name: ${quoted(settings.serverName, 'the server name')}
listen: "127.0.0.1:${settings.port}"
${settings.monitoringPort === undefined ? '' : `http: "127.0.0.1:${settings.monitoringPort}"\n`}max_payload: ${settings.maxPayload}
max_control_line: 8192
logtime: true
ping_interval: "5s"
ping_max: 2
jetstream {
    store_dir: ${quoted(settings.storeDir, 'the store folder')}
    max_memory_store: 67108864
    max_file_store: ${settings.maxStorage}
}
${natsAuthorization(settings.users)}`;
}

/** The block of a configuration that says who may connect, and what each may do. */
export const natsAuthorization = (users: readonly NatsUser[]): string => `authorization {
    timeout: 5
    users: [
${users.map(userLines).join('\n')}
    ]
}
`;
