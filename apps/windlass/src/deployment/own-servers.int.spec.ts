import { testFolder } from '@windlass/embedded/testing';
import { connectDatabase, separationOf } from '@windlass/persistence';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OwnServers } from './own-servers.js';
import { deploymentSecrets } from './secrets-file.js';

it('the audit trail of a PostgreSQL of our own has its keeper before any service starts, the second time, too', async () => {
  const folder = testFolder();
  await mkdir(join(folder.path, 'logs'));
  const secrets = await deploymentSecrets(folder.path);
  const options = { dataDir: folder.path, natsUrl: 'nats://127.0.0.1:1', durable: false, say: () => undefined };
  try {
    for (let start = 1; start <= 2; start++) {
      const servers = await OwnServers.start(options, secrets);
      try {
        const database = await connectDatabase({ url: servers.databaseUrl, applicationName: 'test', poolSize: 1 });
        expect(await separationOf(database.manager)).toEqual({ separated: true, reason: null });
        await database.destroy();
      } finally {
        await servers.stop();
      }
    }
  } finally {
    folder.remove();
  }
});

it('where NATS can’t be started, PostgreSQL is ended too, and a second start finds its folder free', async () => {
  const folder = testFolder();
  await mkdir(join(folder.path, 'logs'));
  const secrets = await deploymentSecrets(folder.path);
  const options = { dataDir: folder.path, durable: false, say: () => undefined };
  try {
    await writeFile(join(folder.path, 'nats'), 'a file where a folder is needed');
    await expect(OwnServers.start(options, secrets)).rejects.toThrow(join(folder.path, 'nats'));
    await rm(join(folder.path, 'nats'));
    await (await OwnServers.start(options, secrets)).stop();
  } finally {
    folder.remove();
  }
});
