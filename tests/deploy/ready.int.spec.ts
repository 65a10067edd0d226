import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { testServer, type TestServer } from '@windlass/outbound/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const script = join(import.meta.dirname, '../../deploy/images/ready.mjs');
let server: TestServer;
let status = 200;
beforeAll(async () => {
  server = await testServer(
    (request, response) => void response.writeHead(request.path === '/health/ready' ? status : 404).end(),
  );
});
afterAll(() => server.close());

const asked = async (host: string): Promise<unknown> => {
  const env = { ...process.env, HEALTH_HOST: host, HEALTH_PORT: String(server.port) };
  const [ended] = (await once(spawn(process.execPath, [script], { env, stdio: 'ignore' }), 'exit')) as unknown[];
  return ended;
};

describe('the health check of the containers', () => {
  it('asks the service where it listens, also where HEALTH_HOST is a network, and fails where it is not ready or not there', async () => {
    expect(await Promise.all([asked('127.0.0.0/8'), asked('127.0.0.1')])).toEqual([0, 0]);
    status = 503;
    expect(await Promise.all([asked('127.0.0.0/8'), asked('240.0.0.0/8')])).toEqual([1, 1]);
  });
});
