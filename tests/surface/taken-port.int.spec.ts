import { Secret } from '@windlass/foundation';
import { Authentication, startLcmApi, staticToken } from '@windlass/lcm-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSystem, type System } from '../support/system.js';

let system: System;

beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system.close());

it('an API whose port another process has says so: the port, and what to do', async () => {
  const { link, database, masterKeys, policy, api } = system;
  const { port } = new URL(api.defaults.baseURL ?? '');
  const starting = startLcmApi({
    link,
    database,
    masterKeys,
    policy,
    authentication: new Authentication({
      ways: [staticToken(new Secret('test-token'), { tenant: 'default', user: 'admin', roles: ['admin'] })],
    }),
    host: '127.0.0.1',
    port: Number(port),
    maxPackageBytes: 1024,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  await expect(starting).rejects.toMatchObject({
    code: 'lcm.port-taken',
    message: `port ${port} of 127.0.0.1, where the REST API is to listen, is in use: end what has it (ss -ltnp 'sport = :${port}' names it), or choose another port`,
  });
});
