import { testNats, type TestNats } from './test-nats.js';
import { testPostgres, type TestDatabase } from './test-postgres.js';

export { bundledScript } from './script.js';
export { testCertificates, type TestCertificates } from './test-certificates.js';
export { testFolder, type TestFolder } from './test-folder.js';
export { testNats, type TestNats } from './test-nats.js';
export { testPostgres, type TestDatabase } from './test-postgres.js';

/** What most integration tests need: an empty database and an empty NATS. */
export interface TestServers {
  readonly postgres: TestDatabase;
  readonly nats: TestNats;
  close(): Promise<void>;
}

/** Starts both; call `close` in `afterAll`. */
export async function startTestServers(): Promise<TestServers> {
  const [postgres, nats] = await Promise.all([testPostgres(), testNats()]);
  return {
    postgres,
    nats,
    close: async () => {
      await Promise.all([postgres.close(), nats.close()]);
    },
  };
}
