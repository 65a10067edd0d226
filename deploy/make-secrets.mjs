// Makes the secrets that docker-compose.yml names, each in a file of its own under deploy/secrets; those that are there are kept.
// Needs the build ("./windlass --help" once): what each NATS user may do comes from the code.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isEnrolled, natsUsersOf, SERVICES } from '../apps/windlass/dist/deployment/services.js';
import { CoreKeys, hashOf, makeToken, parseToken, standingLine, tokenText } from '../libs/messaging/dist/index.js';
import { parseMasterKeys } from '../libs/persistence/dist/index.js';
import { natsConfig } from '../libs/embedded/dist/nats/config-file.js';
import { NATS_MAX_PAYLOAD } from '../libs/embedded/dist/nats/start-nats.js';
import { kept, privateFolder, written } from './secrets-folder.mjs';

const folder = privateFolder(process.argv[2] ?? join(import.meta.dirname, 'secrets'));
const secret = (name, make) => kept(folder, name, make);
const password = () => randomBytes(24).toString('base64url');

const postgres = secret('postgres-password', password);
secret('database-url', () => `postgres://windlass:${postgres}@postgres:5432/windlass`);
const superuser = secret('postgres-admin-password', password);
secret('database-admin-url', () => `postgres://postgres:${superuser}@postgres:5432/windlass`);
const { publicX } = new CoreKeys(parseMasterKeys(secret('master-key', () => randomBytes(32).toString('hex'))));
secret('lcm-token', password);
const passwords = Object.fromEntries(SERVICES.map(({ name }) => [name, secret(`nats-${name}`, password)]));

// What each service enrols its key with; the coordinators are told hashes. A token whose file is removed is made anew.
const tokenLines = SERVICES.filter(isEnrolled).map(({ name }) => {
  const token = parseToken(secret(`enrol-${name}`, () => tokenText(makeToken(publicX)).reveal()));
  return standingLine({ service: name, ...hashOf(token) });
});
written(folder, 'enrolment-tokens', `${tokenLines.join('\n')}\n`);

// Written each time: permissions come with the release. It listens on the containers' own network, which has no way out.
const configuration = natsConfig({
  serverName: 'windlass',
  port: 4222,
  monitoringPort: 8222,
  storeDir: '/data',
  users: natsUsersOf(passwords),
  maxPayload: NATS_MAX_PAYLOAD,
  maxStorage: 4 * 1024 ** 3,
}).replace('listen: "127.0.0.1:4222"', 'listen: "0.0.0.0:4222"');
written(folder, 'nats-conf', configuration);
console.log(`the secrets are in ${folder}`);
