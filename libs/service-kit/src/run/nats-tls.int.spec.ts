import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureNatsServer } from '@windlass/embedded';
import { testCertificates, testFolder } from '@windlass/embedded/testing';
import { millis, Secret, seconds, waitUntil } from '@windlass/foundation';
import { connectNats, defineContract, RequestClient, RequestServer, type LinkTls, type NatsLink } from '@windlass/messaging';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../config/read-config.js';
import { NatsServiceConfig } from '../config/config.js';
import type { ServiceDefinition } from './service.js';
import { startService, type StartedService } from './start-service.js';

const text = { type: 'string' };
const echo = defineContract<string, string>({ name: 'test.echo', subject: 'windlass.test.echo', request: text, reply: text });
const echoService: ServiceDefinition<NatsServiceConfig> = {
  name: 'echo',
  version: '1',
  description: 'Answers with what it was asked.',
  config: NatsServiceConfig,
  async start({ log, nats }) {
    const link = await nats();
    const server = new RequestServer(link, 'echo', log);
    server.serve(echo, (data) => Promise.resolve(data));
    await link.flushed();
    return {
      get ready() {
        return link.state.connected;
      },
      stop: () => server.drain(),
    };
  },
};

const folder = testFolder();
const at = (...names: string[]): string => join(folder.path, ...names);

const certificatesIn = (name: string) => testCertificates(at(name), name);

/** -1: any that is free. It keeps the one that it has the first time. */
let port = -1;
let server: ChildProcess | undefined;

/** A nats-server on the same port each time; with certificates it takes no client without one of the same authority. */
async function serve(certificates?: string): Promise<void> {
  const files = `cert_file: "${at('now', 'server.pem')}", key_file: "${at('now', 'server.key')}", ca_file: "${at('now', 'ca.pem')}"`;
  if (certificates !== undefined) cpSync(at(certificates), at('now'), { recursive: true });
  const tls = certificates === undefined ? '' : `tls { ${files}, verify: true }\n`;
  writeFileSync(at('nats.conf'), `listen: "127.0.0.1:${port}"\n${tls}authorization { user: "echo", password: "pw-of-echo" }\n`);
  const child = spawn(await ensureNatsServer(() => undefined), ['-c', at('nats.conf')], { stdio: ['ignore', 'ignore', 'pipe'] });
  server = child;
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  const ready = () => Promise.resolve(said.includes('Server is ready') || undefined);
  await waitUntil((seen) => (seen(said), ready()), { for: 'nats-server', within: seconds(20), every: millis(10) });
  if (port === -1) port = Number(/client connections on 127\.0\.0\.1:(\d+)/.exec(said)?.[1]);
}

async function stopServer(): Promise<void> {
  const exited = server?.exitCode === null ? once(server, 'exit') : undefined;
  server?.kill('SIGKILL');
  await exited;
  server = undefined;
}

const filesOf = (name: string): LinkTls => ({
  caFile: at(name, 'ca.pem'),
  certFile: at(name, 'client.pem'),
  keyFile: at(name, 'client.key'),
});
const environmentOf = (files: LinkTls, host = 'localhost'): Record<string, string> => ({
  NATS_URL: `tls://${host}:${port}`,
  NATS_USER: 'echo',
  NATS_PASSWORD: 'pw-of-echo',
  ...(files.caFile === undefined ? {} : { NATS_CA_FILE: files.caFile }),
  ...(files.certFile === undefined ? {} : { NATS_CERT_FILE: files.certFile }),
  ...(files.keyFile === undefined ? {} : { NATS_KEY_FILE: files.keyFile }),
});

describe('a link to NATS with TLS', () => {
  const lines: string[] = [];
  const services: StartedService[] = [];
  const links: NatsLink[] = [];
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

  async function start(environment: Record<string, string>): Promise<StartedService> {
    const sink = { write: (line: string) => void lines.push(line) };
    const service = await startService(echoService, { environment, sink, onFailure: () => undefined });
    services.push(service);
    return service;
  }
  async function link(tls: LinkTls, url = `tls://localhost:${port}`): Promise<NatsLink> {
    const options = { url, tls, user: 'echo', password: new Secret('pw-of-echo'), name: 'test', log: quiet, within: seconds(2) };
    const made = await connectNats(options);
    links.push(made);
    return made;
  }

  beforeAll(() => {
    for (const name of ['first', 'second']) certificatesIn(name);
  });
  afterEach(async () => {
    for (const service of services.splice(0)) await service.stop();
    for (const made of links.splice(0)) await made.close();
    await stopServer();
    lines.length = 0;
  });
  afterAll(() => folder.remove());

  it.each(['localhost', '127.0.0.1'])('serves with a certificate of its own and checks the server’s, at %s', async (host) => {
    await serve('first');
    await start(environmentOf(filesOf('first'), host));
    const client = new RequestClient(await link(filesOf('first')));
    expect(await client.request(echo, 'hello')).toBe('hello');
  });

  it('counts certificates that were renewed while it runs, from the next connect on', async () => {
    await serve('first');
    cpSync(at('first'), at('mine'), { recursive: true });
    const service = await start(environmentOf(filesOf('mine')));
    await stopServer();
    for (const file of ['ca.pem', 'client.pem', 'client.key']) cpSync(at('second', file), at('mine', file));
    await serve('second');
    await waitUntil(async () => (await service.isReady()) || undefined, {
      for: 'the link',
      within: seconds(20),
      every: millis(50),
    });
    expect(await new RequestClient(await link(filesOf('second'))).request(echo, 'again')).toBe('again');
  });

  it('refuses a server of another authority', async () => {
    await serve('first');
    await expect(link({ ...filesOf('first'), caFile: at('second', 'ca.pem') })).rejects.toThrow(
      /self-signed|unable to|signature/i,
    );
    await expect(link({})).rejects.toThrow(/self-signed|unable to/i);
  });

  it('gives no password to a server without TLS', async () => {
    await serve();
    await expect(link(filesOf('first'))).rejects.toThrow(/does not support 'tls'/);
    const plain = await link({}, `nats://127.0.0.1:${port}`);
    expect(plain.state).toEqual({ connected: true });
  });

  it('is told once in the log that the server beyond this machine is too old', async () => {
    await serve();
    // Linux takes 0.0.0.0 for this machine, and the service can't know: to it the name is another's.
    await start({ ...environmentOf({}), NATS_URL: `nats://0.0.0.0:${port}` });
    await stopServer();
    await serve();
    const told = () => lines.filter((line) => line.includes('has known security flaws'));
    await waitUntil(() => Promise.resolve(lines.some((line) => line.includes('connected to NATS again')) || undefined), {
      for: 'the link',
      within: seconds(20),
      every: millis(20),
    });
    expect(told()).toHaveLength(1);
    expect(JSON.parse(told()[0] ?? '')).toMatchObject({ level: 'warn', fixedIn: '2.12.12 or 2.14.3' });
  });

  const refusals: [string, () => Record<string, string>, RegExp][] = [
    [
      'a certificate without its key',
      () => environmentOf({ certFile: at('first', 'client.pem') }),
      /NATS_CERT_FILE is given without NATS_KEY_FILE; expected both/,
    ],
    [
      'a key without its certificate',
      () => environmentOf({ keyFile: at('first', 'client.key') }),
      /NATS_KEY_FILE is given without NATS_CERT_FILE; expected both/,
    ],
    [
      'a file that is not there',
      () => environmentOf({ caFile: at('nowhere.pem') }),
      /NATS_CA_FILE names .*nowhere\.pem, which can't be read \(ENOENT\); expected a certificate/,
    ],
    [
      'a key in place of a certificate',
      () => environmentOf({ caFile: at('first', 'client.key') }),
      /NATS_CA_FILE names .*, which is none; expected a certificate in PEM/,
    ],
    [
      'a key of another certificate',
      () => environmentOf({ ...filesOf('first'), keyFile: at('second', 'client.key') }),
      /NATS_KEY_FILE is not the key of the certificate in NATS_CERT_FILE/,
    ],
    [
      'files for a link without TLS',
      () => ({ ...environmentOf(filesOf('first')), NATS_URL: 'nats://localhost:1' }),
      /NATS_CA_FILE, NATS_CERT_FILE, NATS_KEY_FILE would not be used: NATS_URL has nats:\/\/localhost:1; expected tls:\/\/ for every server/,
    ],
    [
      'servers with and without TLS',
      () => ({ ...environmentOf({}), NATS_URL: 'tls://localhost:1,nats://localhost:2' }),
      /NATS_URL has nats:\/\/localhost:2 beside servers with tls:\/\/; expected the same for all/,
    ],
  ];
  it.each(refusals)('refuses %s at the start, saying what is wrong', async (_, environment, sentence) => {
    const refused: unknown = await start(environment()).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ConfigError);
    expect(String(refused)).toMatch(sentence);
  });

  it('refuses a private key that others may read', async () => {
    cpSync(at('first', 'client.key'), at('open.key'));
    chmodSync(at('open.key'), 0o644);
    const started = start(environmentOf({ ...filesOf('first'), keyFile: at('open.key') }));
    await expect(started).rejects.toThrow(/others may read .*open\.key of NATS_KEY_FILE \(mode 644\); make it 0600/);
  });
});
