import { seconds, Secret } from '@windlass/foundation';
import { defineContract, RequestServer } from '@windlass/messaging';
import { setInterval } from 'node:timers';
import { NatsServiceConfig } from '../config/config.js';
import { asDuration, asSecret } from '../config/readers.js';
import { Variable } from '../config/variable.js';
import { runService } from '../run/run-services.js';
import type { ServiceDefinition } from '../run/service.js';

/** The request to the tests' service, which echoes, or misbehaves on demand. */
export const echo = defineContract<string, string>({
  name: 'test.echo',
  subject: 'windlass.test.echo',
  request: { type: 'string' },
  reply: { type: 'string' },
});

class EchoConfig extends NatsServiceConfig {
  @Variable({
    name: 'ECHO_TOKEN',
    meaning: 'a secret that the tests look for',
    expected: 'a token',
    read: asSecret,
    secret: true,
  })
  readonly token: Secret = new Secret('none-at-all');

  @Variable({ name: 'ECHO_STOPS_IN', meaning: 'how long stopping takes', expected: 'a length of time', read: asDuration })
  readonly stopsIn = seconds(0);
}

/** A service for tests in its own process, which answers requests, and fails in the ways a process can. */
export const echoService: ServiceDefinition<EchoConfig> = {
  name: 'echo',
  version: '1.2.3',
  description: 'Answers with what it was asked.',
  config: EchoConfig,
  async start({ config, log, nats, fail }) {
    const link = await nats();
    const server = new RequestServer(link, 'echo', log);
    const misdeeds: Record<string, () => void> = {
      reject: () => void Promise.reject(new Error('nobody waits for this')),
      throw: () =>
        setImmediate(() => {
          throw new Error('nobody catches this');
        }),
      fail: () => fail(new Error('can not go on')),
      tell: () => log.info('the token is known', { token: config.token, text: `it is ${config.token.reveal()}`, note: 'kept' }),
    };
    let inFlight = Promise.resolve();
    server.serve(echo, async (data) => {
      misdeeds[data]?.();
      if (data === 'slow') await (inFlight = new Promise((resolve) => setTimeout(resolve, config.stopsIn)));
      return data;
    });
    await link.flushed();
    const heartbeat = setInterval(() => undefined, 60_000);
    return {
      get ready() {
        return link.state.connected;
      },
      stop: async () => {
        clearInterval(heartbeat);
        await server.drain();
        await inFlight;
      },
    };
  },
};

await runService(echoService);
