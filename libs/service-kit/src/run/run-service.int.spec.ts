import { bundledScript, testFolder, testNats, type TestNats } from '@windlass/embedded/testing';
import { isJsonObject, millis, seconds, Secret, waitUntil, type JsonObject } from '@windlass/foundation';
import { connectNats, defineContract, RequestClient, type NatsLink } from '@windlass/messaging';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

const echo = defineContract<string, string>({
  name: 'test.echo',
  subject: 'windlass.test.echo',
  request: { type: 'string' },
  reply: { type: 'string' },
});
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** The service as a process, and what it said. */
class Process {
  out = '';
  err = '';
  readonly messages: unknown[] = [];
  readonly exited: Promise<[number | null, NodeJS.Signals | null]>;

  constructor(readonly child: ChildProcess) {
    child.stdout?.on('data', (data: Buffer) => (this.out += data.toString()));
    child.stderr?.on('data', (data: Buffer) => (this.err += data.toString()));
    child.on('message', (message) => this.messages.push(message));
    // 'close' does not come after a disconnect of the channel.
    const ended = [child.stdout, child.stderr].map((stream) => (stream === null ? undefined : once(stream, 'end')));
    this.exited = Promise.all([once(child, 'exit'), ...ended]).then(([exit]) => exit as [number | null, NodeJS.Signals | null]);
  }

  get lines(): JsonObject[] {
    const parsed = this.out
      .split('\n')
      .filter((line) => line !== '')
      .map((line): unknown => JSON.parse(line));
    return parsed.filter(isJsonObject);
  }

  line(message: string): JsonObject | undefined {
    return this.lines.find((line) => line.message === message);
  }

  async said(message: string): Promise<JsonObject> {
    const look = () => Promise.resolve(this.line(message));
    return waitUntil(look, {
      for: `the line "${message}"; so far ${this.out}${this.err}`,
      within: seconds(20),
      every: millis(10),
    });
  }

  async health(path: string): Promise<{ status: number; text: string }> {
    const response = await fetch(`${String((await this.said('starting')).healthUrl)}${path}`);
    return { status: response.status, text: await response.text() };
  }
}

describe('a service as a process', () => {
  const folder = testFolder();
  const processes: Process[] = [];
  let nats: TestNats;
  let link: NatsLink;
  let client: RequestClient;
  let script: string;
  let environment: Record<string, string>;

  function start(extra: Record<string, string> = {}, args: string[] = [], channel: 'ipc' | 'ignore' = 'ignore'): Process {
    const env = { PATH: process.env.PATH, ...environment, ...extra };
    const child = spawn(process.execPath, [script, ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe', channel],
    });
    const started = new Process(child);
    processes.push(started);
    return started;
  }
  const ask = (text: string): Promise<string> => client.requestUntilAnswered(echo, text, { within: seconds(30) });

  beforeAll(async () => {
    nats = await testNats();
    script = await bundledScript(join(import.meta.dirname, '../testing/echo-service.ts'), folder);
    environment = { NATS_URL: nats.url, NATS_USER: nats.user, NATS_PASSWORD: nats.password };
    link = await connectNats({ url: nats.url, user: nats.user, password: new Secret(nats.password), name: 'test', log: silent });
    client = new RequestClient(link);
  });
  afterEach(async () => {
    for (const { child, exited } of processes.splice(0)) {
      child.kill('SIGKILL');
      await exited;
    }
  });
  afterAll(async () => {
    await link.close();
    await nats.close();
    folder.remove();
  });

  it('starts, says where its health is, works, and stops in order at SIGTERM', async () => {
    const service = start();
    expect(await ask('hello')).toBe('hello');
    await service.said('started');
    expect(await service.health('/health/live')).toMatchObject({ status: 200 });
    const ready = await service.health('/health/ready');
    expect(JSON.parse(ready.text)).toEqual({
      service: 'echo',
      version: '1.2.3',
      status: 'ready',
      checks: { service: { ok: true }, nats: { ok: true } },
    });
    expect(String((await service.said('starting')).healthUrl)).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    service.child.kill('SIGTERM');
    expect(await service.exited).toEqual([0, null]);
    expect(service.lines.at(-1)).toMatchObject({ message: 'stopped', inTime: true, service: 'echo', level: 'info' });
  });

  it('serves metrics of its own', async () => {
    const service = start();
    await service.said('started');
    const measured = async () => {
      const { text } = await service.health('/metrics');
      return text.includes('windlass_event_loop_lag_seconds{') ? text : undefined;
    };
    const text = await waitUntil(measured, { for: 'a sample of the event loop', within: seconds(20), every: millis(50) });
    expect(text).toContain('windlass_ready{service="echo"} 1');
    expect(text).toContain('windlass_build_info{version="1.2.3",service="echo"} 1');
    expect(text).toMatch(/windlass_event_loop_lag_seconds\{quantile="0.99",service="echo"\} 0\.\d+/);
    expect(text).toMatch(/windlass_log_lines_total\{level="info",service="echo"\} [1-9]/);
    expect((await service.health('/nothing')).status).toBe(404);
  });

  it('answers what it has taken before it ends, and is not ready meanwhile', async () => {
    const service = start({ ECHO_STOPS_IN: '500ms' });
    await service.said('started');
    const slow = ask('slow');
    await ask('sent after it on the same connection');
    service.child.kill('SIGTERM');
    await service.said('stopping');
    const ready = await service.health('/health/ready');
    expect(ready.status).toBe(503);
    expect(ready.text).toContain('the service is stopping');
    expect(await slow).toBe('slow');
    expect(await service.exited).toEqual([0, null]);
  });

  it('ends as failed when it could not stop in time', async () => {
    const service = start({ ECHO_STOPS_IN: '60s', STOP_WITHIN: '1s' });
    await service.said('started');
    ask('slow').catch(() => undefined);
    await ask('sent after it on the same connection');
    service.child.kill('SIGTERM');
    expect(await service.exited).toEqual([1, null]);
    expect(service.line('the service did not stop within 1.0 s')).toBeDefined();
  });

  it('ends at once at the second signal', async () => {
    const service = start({ ECHO_STOPS_IN: '60s' });
    await service.said('started');
    ask('slow').catch(() => undefined);
    await ask('sent after it on the same connection');
    service.child.kill('SIGINT');
    await service.said('stopping');
    service.child.kill('SIGINT');
    expect(await service.exited).toEqual([1, null]);
    expect(service.err).toContain('ending at once (SIGINT)');
  });

  it.each([
    ['reject', 'a rejection was not handled', 'nobody waits for this'],
    ['throw', 'an exception was not caught', 'nobody catches this'],
    ['fail', 'the service can’t go on', 'can not go on'],
  ])('dies loudly, so that it is started again, when it must: %s', async (misdeed, message, reason) => {
    const service = start();
    await service.said('started');
    ask(misdeed).catch(() => undefined);
    expect(await service.exited).toEqual([1, null]);
    expect(service.line(message)).toMatchObject({
      level: 'fatal',
      error: { message: reason, stack: expect.stringMatching(/\/testing\/echo-service\.ts:\d+:\d+/) as string },
    });
  });

  it('waits for a NATS that is not there, alive and not ready, and can be stopped', async () => {
    const service = start({ NATS_URL: 'nats://127.0.0.1:1' });
    await service.said('waiting for NATS');
    expect((await service.health('/health/live')).status).toBe(200);
    const ready = await service.health('/health/ready');
    expect(JSON.parse(ready.text)).toMatchObject({
      status: 'not ready',
      checks: { nats: { ok: false, detail: 'not connected yet' }, service: { ok: false, detail: 'starting' } },
    });
    service.child.kill('SIGTERM');
    expect(await service.exited).toEqual([0, null]);
  });

  it('names the user that NATS refuses, and not the password', async () => {
    const service = start({ NATS_PASSWORD: 'not-the-one' });
    expect(await service.exited).toEqual([1, null]);
    expect(service.err).toContain(`refuses user ${nats.user}`);
    expect(service.out + service.err).not.toContain('not-the-one');
  });

  it('says all that is wrong with its configuration, and that starting it again is no use', async () => {
    const service = start({ NATS_URL: 'http://x', HEALTH_PORT: '99999', LOG_LEVEL: 'loud', STOP_WITHIN: '5 minutes' });
    expect(await service.exited).toEqual([78, null]);
    expect(service.err).toBe(
      [
        "echo can't start: the configuration is wrong:",
        '  LOG_LEVEL is "loud"; expected one of trace, debug, info, warn, error, fatal',
        '  HEALTH_PORT is "99999"; expected a port between 0 and 65535 (0: a free one, which is logged)',
        '  STOP_WITHIN is "5 minutes"; expected a length of time such as 30s or 2m, at least 1s',
        '  NATS_URL is "http://x"; expected nats://host:port or tls://host:port without credentials, several separated by commas',
        '',
      ].join('\n'),
    );
  });

  it('explains itself', async () => {
    const service = start({}, ['--help']);
    expect(await service.exited).toEqual([0, null]);
    for (const text of [
      'echo 1.2.3',
      'NATS_URL',
      'ECHO_TOKEN (or ECHO_TOKEN_FILE)',
      'default: 30s',
      'HEALTH_PORT',
      'optional',
      'required',
    ]) {
      expect(service.out).toContain(text);
    }
    expect(service.out).not.toContain('none-at-all');
    const version = start({}, ['--version']);
    await version.exited;
    expect(version.out).toBe('1.2.3\n');
    const unknown = start({}, ['--colour']);
    expect(await unknown.exited).toEqual([78, null]);
    expect(unknown.err).toContain('unknown argument --colour');
  });

  it('reads a secret from a file and shows it nowhere', async () => {
    const file = join(folder.path, 'token');
    writeFileSync(file, 'hunter2-from-file\n', { mode: 0o600 });
    const service = start({ ECHO_TOKEN_FILE: file, LOG_LEVEL: 'trace' });
    await service.said('started');
    await ask('tell');
    expect(await service.said('the token is known')).toMatchObject({ token: '***', text: 'it is ***', note: 'kept' });
    service.child.kill('SIGTERM');
    await service.exited;
    expect(service.out + service.err).not.toContain('hunter2');
    expect(service.out).not.toContain(nats.password);
  });

  it('tells its supervisor that it has started, and ends in order when that is gone', async () => {
    const service = start({}, [], 'ipc');
    await service.said('started');
    const told = { windlass: 'started', service: 'echo', healthUrl: (await service.said('starting')).healthUrl };
    await waitUntil(() => Promise.resolve(service.messages.length > 0 || undefined), {
      for: 'the message',
      within: seconds(20),
      every: millis(10),
    });
    expect(service.messages).toEqual([told]);
    service.child.disconnect();
    expect(await service.exited).toEqual([0, null]);
    expect(service.line('told to stop')).toMatchObject({ by: 'the end of our supervisor' });
  });

  it('ends, too, when its supervisor was gone before it could listen to it', async () => {
    const service = start({}, [], 'ipc');
    service.child.disconnect();
    expect(await service.exited).toEqual([0, null]);
    expect(service.line('started')).toBeUndefined();
  });

  it('refuses a health port that is taken, and tells its supervisor why it ended', async () => {
    const first = start();
    const { healthUrl } = await first.said('starting');
    const { port } = new URL(String(healthUrl));
    const second = start({ HEALTH_PORT: port }, [], 'ipc');
    expect(await second.exited).toEqual([1, null]);
    const reason = `HEALTH_PORT ${port} on 127.0.0.1 is in use`;
    expect(second.err).toContain(reason);
    expect(second.messages).toEqual([{ windlass: 'failed', code: 'health.port-taken', reason }]);
  });
});
