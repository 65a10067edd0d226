import { randomInt } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { RegistryServer } from '../registry/registry-server.js';
import { ProxyServer } from './proxy-server.js';

const servers: { stop(): Promise<void> }[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));

const started = async <Server extends { stop(): Promise<void> }>(starting: Promise<Server>): Promise<Server> => {
  const server = await starting;
  servers.push(server);
  return server;
};

/** An address of loopback that nobody else has. */
const address = (): string => `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;

it('a port of the lab’s registries that is taken is named, with what to do', async () => {
  const at = address();
  await started(RegistryServer.start(at, () => () => false));
  const second = started(RegistryServer.start(at, () => () => false));
  await expect(second).rejects.toMatchObject({ code: 'lab.registry', message: expect.stringContaining(`${at}:443`) as string });
  await expect(second).rejects.toThrow(/stop what listens there .* ss -ltnp/);
});

it('a port of the lab’s web proxy that is taken is named, with what to do', async () => {
  const setting = { address: address(), port: 3128, intercepts: () => false };
  await started(ProxyServer.start(setting));
  await expect(started(ProxyServer.start(setting))).rejects.toThrow(/can't listen on [\d.]+:3128 .* stop what listens/);
});
