export { cacheFolder } from './cache.js';
export { natsAuthorization, type NatsPermissions, type NatsUser } from './nats/config-file.js';
export { probeJetStream } from './nats/jetstream-probe.js';
export { ensureNatsServer } from './nats/server-binary.js';
export { startNats, type NatsOptions, type RunningNats } from './nats/start-nats.js';
export { freePort } from './ports.js';
export { knownPostgres } from './postgres/known-postgres.js';
export { startPostgres, type PostgresOptions, type RunningPostgres } from './postgres/start-postgres.js';
export { childrenOf, identityOf, isRunning, type ProcessIdentity } from './process-identity.js';
export {
  SupervisedServer,
  type RunningServer,
  type Supervision,
  type SupervisionTimes,
} from './supervision/supervised-server.js';
export type { Exit, Log } from './server-process.js';
