import 'reflect-metadata';
import { Controller, Inject, Injectable, Module, type DynamicModule, type INestMicroservice } from '@nestjs/common';
import type { NestMicroserviceOptions } from '@nestjs/common/interfaces/microservices/nest-microservice-options.interface.js';
import { NestFactory } from '@nestjs/core';
import { Ctx, Payload, type CustomStrategy, type MicroserviceOptions } from '@nestjs/microservices';
import { millis, RequestError, seconds, TransientError, currentTrace, inTrace, startTrace } from '@windlass/foundation';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineContract, defineEvent } from '../contracts/contract.js';
import { wakeUpEvent, type WakeUpData } from '../contracts/wake-up.js';
import { stepDurable } from '../jetstream/durables.js';
import { StreamPublisher } from '../jetstream/stream-publisher.js';
import { eventStream, managerOf, stepStream } from '../jetstream/streams.js';
import type { NatsLink } from '../link/nats-link.js';
import { RequestClient } from '../request/request-client.js';
import { stepConsumer, subjects } from '../contracts/subjects.js';
import { eventually, gate, NatsBench } from '../testing/harness.js';
import { AnswersWakeUps, SubscribesTo, Serves } from './decorators.js';
import { JetStreamStrategy } from './jetstream-strategy.js';
import { DeliveryContext, EventContext, RequestContext } from './message-context.js';

const greet = defineContract<string, string>({
  name: 'test.greet',
  subject: 'windlass.test.greet',
  request: { type: 'string' },
  reply: { type: 'string' },
});
const changed = defineEvent<{ state: string }>({
  name: 'event.operation',
  data: { type: 'object', required: ['state'], properties: { state: { type: 'string' } } },
});

/** What the handlers of one replica do and have seen. */
@Injectable()
class Script {
  wakeUps: WakeUpData[] = [];
  deliveries: number[] = [];
  heard: string[] = [];
  traces: (string | undefined)[] = [];
  onWakeUp: (wakeUp: WakeUpData, context: DeliveryContext) => Promise<void> = () => Promise.resolve();
}

@Controller()
class Handlers {
  constructor(@Inject(Script) private readonly script: Script) {}

  @AnswersWakeUps('svc', { workers: 2 })
  async wakeUp(@Payload() wakeUp: WakeUpData, @Ctx() context: DeliveryContext): Promise<void> {
    this.script.wakeUps.push(wakeUp);
    this.script.deliveries.push(context.deliveries);
    this.script.traces.push(currentTrace()?.traceId);
    await this.script.onWakeUp(wakeUp, context);
  }

  @Serves(greet)
  greet(@Payload() name: string, @Ctx() context: RequestContext): string {
    if (name === 'nobody') throw new RequestError(404, 'test.nobody', 'there is nobody');
    return `hello ${name} of ${context.info.tenant ?? 'nowhere'}`;
  }

  @SubscribesTo(changed, subjects.event.all)
  event(@Payload() data: { state: string }, @Ctx() context: EventContext): void {
    this.script.heard.push(`${context.subject} ${data.state}`);
  }
}

@Module({})
class App {
  static of(script: Script): DynamicModule {
    return { module: App, controllers: [Handlers], providers: [{ provide: Script, useValue: script }] };
  }
}

interface Replica {
  app: INestMicroservice;
  script: Script;
  strategy: JetStreamStrategy;
}

describe('a Nest service on NATS', () => {
  const bench = new NatsBench();
  const replicas: Replica[] = [];
  let link: NatsLink;
  let publisher: StreamPublisher;

  async function replica(): Promise<Replica> {
    const script = new Script();
    const options = { link: await bench.link('svc'), service: 'svc', log: bench.log, drainWithin: seconds(2) };
    const strategy = new JetStreamStrategy(options);
    const startup: Pick<NestMicroserviceOptions, 'logger'> & CustomStrategy = { strategy, logger: false };
    const app = await NestFactory.createMicroservice<MicroserviceOptions>(App.of(script), startup);
    await app.listen();
    const started = { app, script, strategy };
    replicas.push(started);
    await eventually('the replica to be ready', () => strategy.ready);
    return started;
  }

  const notify = (epoch: number): Promise<void> =>
    publisher.publish(wakeUpEvent, subjects.step('svc'), { operationId: 'o', stepId: 's', epoch });
  const epochs = ({ script }: Replica): number[] => script.wakeUps.map(({ epoch }) => epoch);
  const pending = async (): Promise<number> => {
    const manager = await managerOf(link.connection);
    return (await manager.streams.info(stepStream.name)).state.messages;
  };

  beforeAll(async () => {
    await bench.start();
    link = await bench.link();
    publisher = new StreamPublisher(link, [stepStream, eventStream], bench.log);
    await publisher.ensure();
    await bench.reconciler(['svc'], { specOf: (service) => ({ ...stepDurable(service), ackWait: millis(900) }) });
  });
  beforeEach(async () => {
    await (await managerOf(link.connection)).streams.purge(stepStream.name);
  });
  afterEach(async () => {
    for (const { app } of replicas.splice(0)) await app.close();
    bench.log.lines.length = 0;
  });
  afterAll(() => bench.close());

  it('answers requests with its controllers, errors included', async () => {
    await replica();
    const client = new RequestClient(link);
    expect(await client.request(greet, 'Ann', { tenant: 'north' })).toBe('hello Ann of north');
    await expect(client.request(greet, 'nobody')).rejects.toMatchObject({
      name: 'RequestError',
      status: 404,
      code: 'test.nobody',
    });
  });

  it('acknowledges a message when its handler has ended, not before', async () => {
    const one = await replica();
    const hold = gate();
    one.script.onWakeUp = () => hold.opened;
    await notify(1);
    await eventually('the wake-up', () => epochs(one).includes(1));
    expect(await pending()).toBe(1);
    hold.open();
    await eventually('the acknowledgement', async () => (await pending()) === 0);
  });

  it('acknowledges a wake-up as soon as its handler says so, and takes no other in its place while it works', async () => {
    const one = await replica();
    const hold = gate();
    one.script.onWakeUp = (_, context) => {
      context.ack();
      return hold.opened;
    };
    for (const epoch of [1, 2, 3]) await notify(epoch);
    await eventually('two early acknowledgements', async () => (await pending()) === 1);
    expect(epochs(one).sort()).toEqual([1, 2]);
    expect(one.strategy.busy).toBe(2);
    hold.open();
    await eventually('the third wake-up', () => epochs(one).includes(3));
  });

  it('delivers again, later, what failed for now', async () => {
    const one = await replica();
    one.script.onWakeUp = (_, { deliveries }) =>
      deliveries < 3 ? Promise.reject(new TransientError('db.away', 'not now', { retryAfter: millis(20) })) : Promise.resolve();
    await notify(1);
    await eventually('the acknowledgement', async () => one.script.deliveries.length === 3 && (await pending()) === 0);
    expect(one.script.deliveries).toEqual([1, 2, 3]);
  });

  it('drops, loudly, what its handler can’t handle, and goes on', async () => {
    const one = await replica();
    one.script.onWakeUp = ({ epoch }) => (epoch === 1 ? Promise.reject(new Error('a bug')) : Promise.resolve());
    await notify(1);
    await notify(2);
    await eventually('an empty stream', async () => epochs(one).includes(2) && (await pending()) === 0);
    expect(one.script.deliveries).toEqual([1, 1]);
    const dropped = bench.log.lines.find(({ message }) => message === 'a message can’t be handled and is dropped');
    expect(dropped?.fields.error).toMatchObject({ message: 'a bug' });
  });

  it.each([
    ['no JSON', 'ding'],
    ['no envelope', '{"operationId":"o"}'],
    ['of another type', JSON.stringify({ v: 1, id: 'x', type: 'step.bell', time: new Date().toISOString(), data: {} })],
    [
      'without an epoch',
      JSON.stringify({ v: 1, id: 'x', type: 'step.doorbell', time: new Date().toISOString(), data: { stepId: 's' } }),
    ],
  ])('drops a message that is %s', async (_, text) => {
    const one = await replica();
    await publisher.publishBytes(subjects.step('svc'), Buffer.from(text));
    await notify(2);
    await eventually('an empty stream', async () => epochs(one).includes(2) && (await pending()) === 0);
    expect(epochs(one)).toEqual([2]);
    expect(bench.log.of('error')).toContain('a message can’t be handled and is dropped');
  });

  it('keeps the message of a slow handler from being delivered again', async () => {
    const one = await replica();
    const two = await replica();
    const hold = gate();
    one.script.onWakeUp = two.script.onWakeUp = () => hold.opened;
    await notify(1);
    const since = performance.now();
    await eventually('three times the wait for acknowledgement to pass', () => performance.now() - since > 2_700);
    expect([...epochs(one), ...epochs(two)]).toEqual([1]);
    hold.open();
    await eventually('the acknowledgement', async () => (await pending()) === 0);
  });

  it('shares wake-ups between two replicas, and gives none to one that is busy', async () => {
    const [one, two] = [await replica(), await replica()];
    const hold = gate();
    one.script.onWakeUp = () => hold.opened;
    for (let epoch = 1; epoch <= 20; epoch += 1) await notify(epoch);
    await eventually('the other replica to do the rest', () => epochs(two).length === 18);
    expect(epochs(one)).toHaveLength(2);
    hold.open();
    await eventually('an empty stream', async () => (await pending()) === 0);
    expect([...epochs(one), ...epochs(two)].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it('hands a wake-up that came while it stopped to the other replica at once', async () => {
    const [one, two] = [await replica(), await replica()];
    one.script.onWakeUp = two.script.onWakeUp = () => Promise.resolve();
    const closing = one.app.close();
    const notified = Array.from({ length: 50 }, (_, index) => notify(index));
    await Promise.all([closing, ...notified]);
    await eventually('an empty stream', async () => (await pending()) === 0, seconds(5));
    expect(new Set([...epochs(one), ...epochs(two)]).size).toBe(50);
  });

  it('ends what it is handling before it stops', async () => {
    const one = await replica();
    const hold = gate();
    one.script.onWakeUp = () => hold.opened;
    await notify(1);
    await eventually('the wake-up', () => epochs(one).includes(1));
    const closing = one.app.close();
    await notify(2);
    await eventually('the replica to take no more', () => !one.strategy.ready);
    expect(epochs(one)).toEqual([1]);
    hold.open();
    await closing;
    await eventually('the acknowledgement', async () => (await pending()) === 1);
    expect(epochs(one)).toEqual([1]);
  });

  it('gives back at the limit what it could not end, and another replica has it at once', async () => {
    const [one, two] = [await replica(), await replica()];
    const never = gate();
    one.script.onWakeUp = () => never.opened;
    two.script.onWakeUp = () => never.opened;
    await notify(1);
    await eventually('the wake-up', () => epochs(one).length + epochs(two).length === 1);
    const [holder, other] = epochs(one).length === 1 ? [one, two] : [two, one];
    other.script.onWakeUp = () => Promise.resolve();
    const said: string[] = [];
    const words = link.connection.subscribe('$JS.ACK.>', { callback: (_error, message) => void said.push(message.string()) });
    await link.flushed();
    const since = performance.now();
    await holder.app.close();
    // Not for as long as the handler takes: it never ends.
    expect(performance.now() - since).toBeLessThan(seconds(40));
    await eventually('the other replica to have it', () => epochs(other).includes(1));
    words.unsubscribe();
    // Given back, not left to the wait for acknowledgement.
    expect(said).toContain('-NAK');
    expect(other.script.deliveries).toEqual([2]);
    never.open();
  });

  it('has a wake-up of a killed replica delivered to another after the wait for acknowledgement', async () => {
    const [one, two] = [await replica(), await replica()];
    const never = gate();
    one.script.onWakeUp = two.script.onWakeUp = () => never.opened;
    await notify(1);
    await eventually('the wake-up', () => epochs(one).length + epochs(two).length === 1);
    const [victim, other] = epochs(one).length === 1 ? [one, two] : [two, one];
    other.script.onWakeUp = () => Promise.resolve();
    // As kill -9 would: the connection is gone, without a word.
    await (victim.strategy as unknown as { options: { link: NatsLink } }).options.link.close();
    await eventually('the other replica to have it', () => epochs(other).includes(1), seconds(5));
    never.open();
  });

  it('hears events in every replica', async () => {
    const [one, two] = [await replica(), await replica()];
    await publisher.publish(changed, subjects.event.operation('COMPLETED'), { state: 'COMPLETED' });
    const expected = ['windlass.event.operation.COMPLETED COMPLETED'];
    await eventually('both to hear', () => one.script.heard.length === 1 && two.script.heard.length === 1);
    expect([one.script.heard, two.script.heard]).toEqual([expected, expected]);
  });

  it('continues the trace of who rang', async () => {
    const one = await replica();
    const trace = startTrace();
    await inTrace(trace, () => notify(1));
    await eventually('the wake-up', () => one.script.traces.length === 1);
    expect(one.script.traces).toEqual([trace.traceId]);
  });

  it('goes on after kill -9 of the server, with what was in the stream', async () => {
    const one = await replica();
    const hold = gate();
    one.script.onWakeUp = () => hold.opened;
    for (const epoch of [1, 2, 3]) await notify(epoch);
    await eventually('two wake-ups', () => epochs(one).length === 2);
    await bench.server.kill();
    await bench.start();
    hold.open();
    one.script.onWakeUp = () => Promise.resolve();
    await eventually('an empty stream', async () => link.state.connected && one.strategy.ready && (await pending()) === 0);
    expect(new Set(epochs(one))).toEqual(new Set([1, 2, 3]));
  });

  it('stops in time while the server is away', async () => {
    const one = await replica();
    await bench.server.kill();
    const since = performance.now();
    await one.app.close();
    expect(performance.now() - since).toBeLessThan(seconds(40));
    await bench.start();
    await eventually('the connection to be back', () => link.state.connected);
  });

  it('lets replicas name their consumer once', async () => {
    await replica();
    await replica();
    const consumers = await (await managerOf(link.connection)).consumers.list(stepStream.name).next();
    expect(consumers.map(({ name }) => name)).toEqual([stepConsumer('saga-coordinator'), stepConsumer('svc')]);
  });
});
