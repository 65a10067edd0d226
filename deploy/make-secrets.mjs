// Makes the secrets that docker-compose.yml names, each in a file of its own under deploy/secrets; those that are there are kept.
// Needs the build ("./windlass --help" once): what each NATS user may do comes from the code.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { natsUsersOf, SERVICES } from '../apps/windlass/dist/deployment/services.js';
import { natsConfig } from '../libs/embedded/dist/nats/config-file.js';

const folder = process.argv[2] ?? join(import.meta.dirname, 'secrets');
mkdirSync(folder, { recursive: true, mode: 0o700 });

/** Containers read the files as users of their own, so the folder is what keeps others out. */
function secret(name, make) {
  const file = join(folder, name);
  if (!existsSync(file)) writeFileSync(file, make(), { mode: 0o644, flag: 'wx' });
  return readFileSync(file, 'utf8').trim();
}
const password = () => randomBytes(24).toString('base64url');

const postgres = secret('postgres-password', password);
secret('database-url', () => `postgres://windlass:${postgres}@postgres:5432/windlass`);
secret('master-key', () => randomBytes(32).toString('hex'));
secret('lcm-token', password);
const passwords = Object.fromEntries(SERVICES.map(({ name }) => [name, secret(`nats-${name}`, password)]));

// Written each time: permissions come with the release. It listens on the containers' own network, which has no way out.
const configuration = natsConfig({
  serverName: 'windlass',
  port: 4222,
  monitoringPort: 8222,
  storeDir: '/data',
  users: natsUsersOf(passwords),
  maxPayload: 2 * 1024 * 1024,
  maxStorage: 4 * 1024 ** 3,
}).replace('listen: "127.0.0.1:4222"', 'listen: "0.0.0.0:4222"');
writeFileSync(join(folder, 'nats-conf'), configuration, { mode: 0o644 });
console.log(`the secrets are in ${folder}`);
