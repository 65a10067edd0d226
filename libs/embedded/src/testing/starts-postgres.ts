import { startPostgres } from '../postgres/start-postgres.js';

/** A process for tests: starts PostgreSQL in the given folder, prints PostgreSQL's process id, and runs until it is killed. */
const dataDir = process.argv[2];
if (dataDir === undefined) throw new Error('usage: starts-postgres <folder>');
const server = await startPostgres({ dataDir, durable: false, log: () => undefined });
process.stdout.write(`${server.pid}\n`);
