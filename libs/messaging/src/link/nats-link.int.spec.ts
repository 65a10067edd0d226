import { millis, seconds, Secret } from '@windlass/foundation';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually, MemoryLog, NatsBench } from '../testing/harness.js';
import { connectNats } from './nats-link.js';

describe('a link to NATS', () => {
  let bench = new NatsBench();
  afterEach(async () => {
    await bench.close();
    bench = new NatsBench();
  });

  it('waits for a server that is not up yet', async () => {
    await bench.start();
    const { url, admin } = bench.server;
    await bench.server.stop();
    const log = new MemoryLog();
    const linking = connectNats({ url, user: admin.user, password: new Secret(admin.password), name: 'early', log });
    await eventually('the first try', () => log.of('warn').includes('waiting for NATS'));
    await bench.start();
    const link = await linking;
    expect(link.state).toEqual({ connected: true });
    await link.close();
  });

  it('gives up at its limit, naming the server', async () => {
    const gone = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => gone.once('listening', resolve));
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    const linking = connectNats({ url: `nats://127.0.0.1:${port}`, name: 'x', log: bench.log, within: millis(300) });
    await expect(linking).rejects.toMatchObject({
      code: 'messaging.unreachable',
      message: expect.stringContaining(String(port)) as string,
    });
  });

  it.each(['http://127.0.0.1:4222', 'not a url', 'nats://me:secret@127.0.0.1:4222'])(
    'refuses the URL %s without repeating a secret',
    async (url) => {
      const refused: unknown = await connectNats({ url, name: 'x', log: bench.log }).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'messaging.bad-url' });
      expect(String(refused)).not.toContain('secret');
    },
  );

  it('says since when it is lost, and calls back when it is not any more', async () => {
    await bench.start();
    const link = await bench.link();
    let back = 0;
    const forget = link.onReconnect(() => (back += 1));
    await bench.server.kill();
    await eventually('the loss', () => !link.state.connected);
    await expect(link.connected(millis(50))).rejects.toMatchObject({ code: 'messaging.disconnected' });
    const waiting = link.connected(seconds(60));
    await bench.start();
    await waiting;
    await eventually('the call', () => back === 1);
    forget();
    await link.drain();
    expect(link.connection.isClosed()).toBe(true);
    await link.drain();
  });

  it('ends its waits when it is closed for good', async () => {
    await bench.start();
    const link = await bench.link();
    await bench.server.kill();
    await eventually('the loss', () => !link.state.connected);
    const waiting = link.connected(seconds(30));
    await link.close();
    await expect(waiting).rejects.toMatchObject({ code: 'messaging.disconnected' });
  });
});
