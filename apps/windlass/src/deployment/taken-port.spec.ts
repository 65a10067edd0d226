import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import { expect, it, onTestFinished } from 'vitest';
import { Deployment, type DeploymentOptions } from './deployment.js';
import { SERVICES } from './services.js';

/** Says that it has started, and that it is ready. */
const SERVICE = `
import { createServer } from 'node:http';
process.on('disconnect', () => process.exit());
export function serve(port) {
  const server = createServer((_, response) => response.end('here'));
  server.on('error', (error) => {
    process.send({ windlass: 'failed', code: 'lcm.port-taken', reason: error.message });
    process.exit(1);
  });
  server.listen(port, '127.0.0.1', () => {
    const healthUrl = 'http://127.0.0.1:' + server.address().port;
    process.send({ windlass: 'started', service: process.env.NATS_USER, healthUrl });
  });
}
`;
/** Says which port it was given, and listens there as soon as it may. */
const API = `
import { existsSync, writeFileSync } from 'node:fs';
import { serve } from './service.mjs';
writeFileSync('FOLDER/given', process.env.LCM_PORT);
const wait = setInterval(() => {
  if (!existsSync('FOLDER/may-listen')) return;
  clearInterval(wait);
  serve(Number(process.env.LCM_PORT));
}, 10);
`;

/** A deployment of programs that stand for the services. */
class Stage {
  readonly folder = mkdtempSync(join(tmpdir(), 'windlass-taken-port-'));
  readonly said: string[] = [];

  constructor() {
    writeFileSync(join(this.folder, 'service.mjs'), SERVICE);
    writeFileSync(join(this.folder, 'other.mjs'), `import { serve } from './service.mjs'; serve(0);`);
    writeFileSync(join(this.folder, 'api.mjs'), API.replaceAll('FOLDER', this.folder));
    onTestFinished(() => rmSync(this.folder, { recursive: true }));
  }

  async start({ port }: Pick<DeploymentOptions, 'port'>): Promise<Deployment> {
    const programs = Object.fromEntries(SERVICES.map(({ name }) => [name, join(this.folder, 'other.mjs')]));
    const deployment = await Deployment.start({
      home: this.folder,
      dataDir: this.folder,
      databaseUrl: 'postgres://127.0.0.1:1/none',
      natsUrl: 'nats://127.0.0.1:1',
      durable: false,
      programs: { ...programs, 'lcm-api': join(this.folder, 'api.mjs') },
      say: (line) => void this.said.push(line),
      port,
    });
    onTestFinished(() => deployment.stop());
    return deployment;
  }

  /** The port that the API was given, once it runs. */
  given(): Promise<number> {
    return until('the API to be given a port', () => Number(read(join(this.folder, 'given'))) || undefined);
  }

  mayListen(): void {
    writeFileSync(join(this.folder, 'may-listen'), '');
  }

  /** As if the API had not been started yet. */
  forget(): void {
    for (const name of ['given', 'may-listen']) rmSync(join(this.folder, name));
  }
}

const read = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
const until = <T>(what: string, look: () => T | undefined): Promise<T> =>
  waitUntil(() => Promise.resolve(look()), { for: what, within: seconds(40), every: millis(10) });

async function taken(port = 0): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return server;
}

it('the REST API has another port where its own is taken before it listens, and clients are told that one', async () => {
  const stage = new Stage();
  const starting = stage.start({ port: 0 });
  const port = await stage.given();
  await taken(port);
  stage.mayListen();
  const { url } = await starting;
  expect(url).not.toBe(`http://127.0.0.1:${port}`);
  expect(await (await fetch(url)).text()).toBe('here');
});

it('a port that clients know stays the API’s: it is started again until it has it, and each time it is said why not', async () => {
  const stage = new Stage();
  stage.mayListen();
  const { url, processes } = await stage.start({ port: 0 });
  const api = processes.find(({ name }) => name === 'lcm-api')!;
  stage.forget();
  process.kill(api.pid!, 'SIGKILL');
  const other = await taken(await stage.given());
  stage.mayListen();
  const line = `lcm-api ended (status 1: listen EADDRINUSE: address already in use ${new URL(url).host}); starting it again`;
  await until('two starts that failed', () => stage.said.filter((each) => each === line)[1]);
  other.close();
  await api.started(seconds(40));
  expect(await (await fetch(url)).text()).toBe('here');
});

it('a port that was asked for by name and is taken is an error at once, which names it', async () => {
  const stage = new Stage();
  stage.mayListen();
  const { port } = (await taken()).address() as AddressInfo;
  await expect(stage.start({ port })).rejects.toMatchObject({
    code: 'deployment.service-failed',
    message: expect.stringContaining(
      `lcm-api can't start: listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
    ) as string,
  });
  expect(stage.said).toEqual([]);
});
