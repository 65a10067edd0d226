import { testNats, type TestNats } from '@windlass/embedded/testing';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import { Counter } from 'prom-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NatsServiceConfig } from '../config/config.js';
import type { ServiceDefinition } from './service.js';
import { startService, type StartedService } from './start-service.js';

/** A service that counts; `events` says what happened to it. */
const counting = (name: string, events: string[]): ServiceDefinition<NatsServiceConfig> => ({
  name,
  version: '1',
  description: 'Counts.',
  config: NatsServiceConfig,
  async start({ metrics, log, nats }) {
    const link = await nats();
    new Counter({ name: 'counted_total', help: 'Things counted', registers: [metrics] }).inc(name.length);
    log.info(`${name} speaks`);
    return {
      get ready() {
        return link.state.connected;
      },
      stop: () => {
        events.push(`${name} stopped while NATS was ${link.connection.isClosed() ? 'closed' : 'open'}`);
        return Promise.resolve();
      },
    };
  },
});

describe('several services in one process', () => {
  let nats: TestNats;
  const started: StartedService[] = [];
  const lines: string[] = [];
  const failures: Error[] = [];

  async function start(definition: ServiceDefinition<NatsServiceConfig>, signal?: AbortSignal): Promise<StartedService> {
    const environment = { NATS_URL: nats.url, NATS_USER: nats.user, NATS_PASSWORD: nats.password };
    const service = await startService(definition, {
      environment,
      sink: { write: (line) => void lines.push(line) },
      onFailure: (error) => void failures.push(error),
      ...(signal === undefined ? {} : { signal }),
    });
    started.push(service);
    return service;
  }
  const get = async (url: string): Promise<string> => (await fetch(url)).text();

  beforeAll(async () => {
    nats = await testNats();
  });
  afterEach(async () => {
    for (const service of started.splice(0)) await service.stop();
  });
  afterAll(() => nats.close());

  it('keep their health, logs and metrics apart', async () => {
    const [one, three] = [await start(counting('one', [])), await start(counting('three', []))];
    expect(one.healthUrl).not.toBe(three.healthUrl);
    expect(await get(`${one.healthUrl}/metrics`)).toContain('counted_total{service="one"} 3');
    expect(await get(`${three.healthUrl}/metrics`)).toContain('counted_total{service="three"} 5');
    expect(await get(`${one.healthUrl}/health/ready`)).toContain('"service":"one"');
    const spoken = lines
      .filter((line) => line.includes('speaks'))
      .map((line) => (JSON.parse(line) as { service: string }).service);
    expect(spoken).toEqual(['one', 'three']);
    await one.stop();
    expect(await three.isReady()).toBe(true);
    await expect(get(`${one.healthUrl}/health/live`)).rejects.toThrow();
  });

  it('leave what belongs to the process alone', async () => {
    const listeners = () =>
      ['SIGTERM', 'SIGINT', 'uncaughtException', 'unhandledRejection', 'exit'].map((name) => process.listenerCount(name));
    const before = listeners();
    const service = await start(counting('quiet', []));
    expect(listeners()).toEqual(before);
    await service.stop();
    expect(listeners()).toEqual(before);
  });

  it('close the connection after the service has stopped, once', async () => {
    const events: string[] = [];
    const service = await start(counting('last', events));
    expect(await Promise.all([service.stop(), service.stop()])).toEqual([true, true]);
    expect(events).toEqual(['last stopped while NATS was open']);
  });

  it('close everything again when one can’t start', async () => {
    let link: { state: { connected: boolean } } | undefined;
    const failing: ServiceDefinition<NatsServiceConfig> = {
      ...counting('failing', []),
      start: async ({ nats: connect }) => {
        link = await connect();
        throw new Error('no database');
      },
    };
    await expect(start(failing)).rejects.toThrow('no database');
    expect(link?.state.connected).toBe(false);
  });

  it('stop what was still starting, when it has started', async () => {
    const events: string[] = [];
    const told = new AbortController();
    const slow = counting('slow', events);
    let goOn: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => (goOn = resolve));
    let begun = false;
    const starting = start(
      {
        ...slow,
        start: async (context) => {
          const running = await slow.start(context);
          begun = true;
          await waiting;
          return running;
        },
      },
      told.signal,
    );
    starting.catch(() => undefined);
    await waitUntil(() => Promise.resolve(begun || undefined), { for: 'the start', within: seconds(20), every: millis(5) });
    told.abort();
    goOn();
    await expect(starting).rejects.toMatchObject({ code: 'service.stopped' });
    expect(events).toEqual(['slow stopped while NATS was open']);
  });

  it('say so when they can’t go on', async () => {
    const service = await start({
      ...counting('doomed', []),
      start: (context) => {
        context.fail(new Error('the key is gone'));
        return Promise.resolve({ ready: true, stop: () => Promise.resolve() });
      },
    });
    expect(failures.map(({ message }) => message)).toEqual(['the key is gone']);
    expect(lines.some((line) => line.includes('"level":"fatal"') && line.includes('the key is gone'))).toBe(true);
    expect(await service.isReady()).toBe(true);
  });
});
