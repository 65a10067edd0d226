export { cacheFolder } from './cache.js';
export { natsAuthorization, type NatsPermissions, type NatsUser } from './nats/config-file.js';
export { ensureNatsServer } from './nats/server-binary.js';
export { startNats, type NatsOptions, type RunningNats } from './nats/start-nats.js';
export { startPostgres, type PostgresOptions, type RunningPostgres } from './postgres/start-postgres.js';
export type { Exit, Log } from './server-process.js';
