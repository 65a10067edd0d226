import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import { identityOf } from '../process-identity.js';
import { probeJetStream } from './jetstream-probe.js';
import { startTestServers, testFolder } from '../testing/index.js';
import { ensureNatsServer } from './server-binary.js';
import { startNats, type NatsOptions, type RunningNats } from './start-nats.js';

const folder = testFolder();
const started: RunningNats[] = [];
const connections: NatsConnection[] = [];

async function start(name: string, options: Partial<NatsOptions> = {}): Promise<RunningNats> {
  const server = await startNats({ dataDir: join(folder.path, name), log: () => undefined, ...options });
  started.push(server);
  return server;
}

async function client({ url }: RunningNats, user: string, pass: string): Promise<NatsConnection> {
  const connection = await connect({ servers: url, user, pass, reconnect: false });
  connections.push(connection);
  return connection;
}

const admin = (server: RunningNats): Promise<NatsConnection> => client(server, server.admin.user, server.admin.password);

describe('embedded NATS', () => {
  afterEach(async () => {
    for (const connection of connections.splice(0)) await connection.close();
    for (const server of started.splice(0)) await server.stop();
  });
  afterAll(() => folder.remove());

  it('keeps streams and port over kill -9', async () => {
    const first = await start('killed');
    const before = await admin(first);
    await (await jetstreamManager(before)).streams.add({ name: 'steps', subjects: ['step.>'] });
    await jetstream(before).publish('step.a', 'ding');
    await before.close();
    await first.kill();
    const second = await start('killed');
    expect(second.url).toBe(first.url);
    const info = await (await jetstreamManager(await admin(second))).streams.info('steps');
    expect(info.state.messages).toBe(1);
  });

  it('is asked whether JetStream answers: yes; not when the server is gone, and not when it hangs, within the limit', async () => {
    const server = await start('probed');
    await (await jetstreamManager(await admin(server))).streams.add({ name: 'steps', subjects: ['step.>'] });
    await probeJetStream(server);
    const silent = { code: 'embedded.no-jetstream' };
    process.kill(server.pid, 'SIGSTOP');
    // A signal is sent before it is heeded: until then the server may still answer.
    await waitUntil(() => Promise.resolve(/^State:\s+T/m.test(readFileSync(`/proc/${server.pid}/status`, 'utf8')) || undefined), {
      for: 'the server to be stopped',
      within: seconds(20),
      every: millis(5),
    });
    const begun = performance.now();
    await expect(probeJetStream(server, millis(300))).rejects.toMatchObject(silent);
    expect(performance.now() - begun).toBeLessThan(seconds(30));
    process.kill(server.pid, 'SIGCONT');
    await probeJetStream(server);
    await server.kill();
    await expect(probeJetStream(server, millis(300))).rejects.toMatchObject(silent);
  });

  it('starts empty when its store was removed while it was down', async () => {
    const first = await start('wiped');
    await (await jetstreamManager(await admin(first))).streams.add({ name: 'steps', subjects: ['step.>'] });
    await first.stop();
    rmSync(join(folder.path, 'wiped', 'server', 'jetstream'), { recursive: true });
    const second = await start('wiped');
    expect(second.port).toBe(first.port);
    expect(second.admin).toEqual(first.admin);
    const names = await (await jetstreamManager(await admin(second))).streams.names().next();
    expect(names).toEqual([]);
  });

  it('lets nobody in without a password, and lets each user do only what is his', async () => {
    const server = await start('users', {
      users: [
        { name: 'asks', password: 'pw-asks', permissions: { publish: ['saga.claim'], subscribe: ['_INBOX_asks.>'] } },
        { name: 'serves', password: 'pw-serves', permissions: { publish: [], subscribe: ['saga.claim'] } },
      ],
    });
    await expect(connect({ servers: server.url, reconnect: false })).rejects.toThrow(/authorization/i);
    await expect(client(server, 'asks', 'wrong')).rejects.toThrow(/authorization/i);
    const serves = await client(server, 'serves', 'pw-serves');
    serves.subscribe('saga.claim', { callback: (_, message) => void message.respond('yours') });
    await serves.flush();
    const asks = await connect({
      servers: server.url,
      user: 'asks',
      pass: 'pw-asks',
      inboxPrefix: '_INBOX_asks',
      reconnect: false,
    });
    connections.push(asks);
    expect((await asks.request('saga.claim', '', { timeout: 2_000 })).string()).toBe('yours');
    await expect(asks.request('saga.result', '', { timeout: 2_000 })).rejects.toThrow(/permissions violation/i);
    const refused = new Promise<unknown>((resolve) => asks.subscribe('saga.claim', { callback: (error) => resolve(error) }));
    expect(String(await refused)).toMatch(/permissions violation/i);
  });

  it('listens on 127.0.0.1 alone, takes 1 MiB messages, and keeps passwords in files only it can read', async () => {
    const server = await start('quiet', { monitoring: true });
    const connection = await admin(server);
    expect(connection.info?.max_payload).toBeGreaterThan(1024 * 1024);
    const variables = (await (await fetch(`${server.monitoringUrl}/varz`)).json()) as Record<string, unknown>;
    expect(variables).toMatchObject({ host: '127.0.0.1', http_host: '127.0.0.1', port: server.port });
    expect(readFileSync(`/proc/${server.pid}/cmdline`, 'utf8')).not.toContain(server.admin.password);
    for (const file of ['password', 'server/nats.conf'])
      expect(statSync(join(folder.path, 'quiet', file)).mode & 0o777).toBe(0o600);
    expect(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]).not.toBe('0');
  });

  it.each(['listen', 'http'])(
    'takes another port when the one that it chose is taken before the server has it: %s',
    async (which) => {
      const name = `raced-${which}`;
      const server = join(folder.path, name, 'server');
      // Waits, the first time it runs, until somebody else listens there.
      const binary = join(folder.path, `nats-${which}`);
      const real = await ensureNatsServer(() => undefined);
      writeFileSync(
        binary,
        `#!/bin/sh\n[ -e started ] || { : >started; until [ -e taken ]; do sleep 0.02; done; }\nexec ${real} "$@"\n`,
        { mode: 0o755 },
      );
      chmodSync(folder.path, 0o711);
      const starting = start(name, { monitoring: true, binary });
      await waitUntil(() => Promise.resolve(existsSync(join(server, 'started')) || undefined), {
        for: 'the first start',
        within: seconds(20),
        every: millis(10),
      });
      const port = Number(new RegExp(`^${which}: .*?(\\d+)"?$`, 'm').exec(readFileSync(join(server, 'nats.conf'), 'utf8'))?.[1]);
      const other = createServer().listen(port, '127.0.0.1');
      await once(other, 'listening');
      writeFileSync(join(server, 'taken'), '');
      const running = await starting;
      other.close();
      const ports = [running.port, Number(new URL(running.monitoringUrl!).port)];
      expect(ports).not.toContain(port);
      expect((await fetch(`${running.monitoringUrl}/varz`)).ok).toBe(true);
    },
  );

  it('refuses a folder that a living server has, and says when it has ended', async () => {
    const first = await start('twice');
    await expect(start('twice')).rejects.toMatchObject({ code: 'embedded.in-use' });
    process.kill(first.pid, 'SIGKILL');
    expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(identityOf(first.pid)).toBeUndefined();
    await start('twice');
  });

  it('ends a server that a killed supervisor left running, and nobody else who works in its folder', async () => {
    const left = await start('left');
    const bystander = spawn('sleep', ['60'], { stdio: 'ignore', cwd: join(folder.path, 'left', 'server') });
    writeFileSync(join(folder.path, 'left', 'owner.json'), JSON.stringify({ pid: process.pid, startedAt: '1' }));
    await start('left');
    expect(await left.exited).toMatchObject({ signal: null });
    expect(identityOf(bystander.pid!)).toBeDefined();
    bystander.kill();
  });

  it('refuses a password that its configuration could not hold', async () => {
    await expect(start('quoting', { users: [{ name: 'a', password: 'x"\n}' }] })).rejects.toThrow(
      'the password of a has characters',
    );
  });
});

describe('servers for tests', () => {
  it('gives each caller an empty database and a NATS of its own, and leaves nothing', async () => {
    const [one, two] = [await startTestServers(), await startTestServers()];
    expect(one.postgres.url).not.toBe(two.postgres.url);
    expect(new URL(one.postgres.url).host).toBe(new URL(two.postgres.url).host);
    expect(one.nats.url).not.toBe(two.nats.url);
    await one.close();
    const again = await startTestServers();
    expect(new URL(again.postgres.url).host).toBe(new URL(two.postgres.url).host);
    await Promise.all([two.close(), again.close()]);
  });
});
