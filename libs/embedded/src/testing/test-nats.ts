import { join } from 'node:path';
import { evidence } from '@windlass/foundation/testing';
import type { NatsUser } from '../nats/config-file.js';
import { startNats } from '../nats/start-nats.js';
import { testFolder } from './test-folder.js';

/** A NATS server of one test. */
export interface TestNats {
  /** The URL, without credentials. */
  readonly url: string;
  /** The user who may do everything. */
  readonly user: string;
  readonly password: string;
  close(): Promise<void>;
}

/**
 * A nats-server with JetStream of the caller's own, empty: it is up in 30 ms. With TEST_NATS_URL (credentials in it) that server instead, where
 * streams of other tests may stand. A test that kills NATS or needs users starts its own with `startNats` in a {@link testFolder}.
 */
export async function testNats(users: readonly NatsUser[] = []): Promise<TestNats> {
  const given = process.env.TEST_NATS_URL;
  if (given !== undefined && users.length === 0) {
    const { username, password, host } = new URL(given);
    return {
      url: `nats://${host}`,
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
      close: () => Promise.resolve(),
    };
  }
  const folder = testFolder();
  const server = await startNats({ dataDir: join(folder.path, 'nats'), users, log: evidence.log('nats') });
  const close = async () => {
    await server.stop();
    folder.remove();
  };
  return { url: server.url, ...server.admin, close };
}
