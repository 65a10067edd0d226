import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { describeDuration, observing, seconds, TerminalError, TransientError, type Duration } from '@windlass/foundation';
import { connectNats, type NatsLink } from '@windlass/messaging';
import { NatsServiceConfig, type ServiceConfig } from '../config/config.js';
import { natsTlsOf } from '../config/nats-tls.js';
import { otlpHeadersOf } from '../config/otlp-headers.js';
import { readConfig, secretsIn, type Environment } from '../config/read-config.js';
import { HealthChecks } from '../health/health-checks.js';
import { HealthServer } from '../health/health-server.js';
import { ServiceLog, type LogSink } from '../log/service-log.js';
import { ServiceMetrics } from '../metrics/service-metrics.js';
import type { OtlpExporter } from '../tracing/otlp-exporter.js';
import { ServiceObserver } from '../tracing/service-observer.js';
import type { RunningService, ServiceContext, ServiceDefinition } from './service.js';

export interface StartOptions {
  environment: Environment;
  /** Standard output by default. */
  sink?: LogSink;
  /** Stops the service also while it is still starting. */
  signal?: AbortSignal;
  /** Called when the service can't go on by itself ({@link ServiceContext.fail}). */
  onFailure: (error: Error) => void;
}

/** A started service, as its process sees it. */
export interface StartedService {
  readonly name: string;
  readonly log: ServiceLog;
  /** Where `/health/ready` and the others are. */
  readonly healthUrl: string;
  isReady(): Promise<boolean>;
  /**
   * Not ready first; then the service ends its work, within the configured limit; then its connections close. Can be called again.
   * @returns whether everything ended in time
   */
  stop(): Promise<boolean>;
}

/** How long closing the connection to NATS may take after the service has stopped. */
const CLOSE_WITHIN = seconds(5);

/**
 * Starts one service in this process, without touching what belongs to the whole process: signals, exit, standard loggers and metrics.
 * @throws ConfigError when the environment is wrong
 * @throws Error whatever the service's start throws, after everything opened was closed again
 */
export async function startService<C extends ServiceConfig>(
  definition: ServiceDefinition<C>,
  options: StartOptions,
): Promise<StartedService> {
  const config = readConfig(definition.config, options.environment);
  if (config instanceof NatsServiceConfig) natsTlsOf(config);
  const life = new ServiceLife(definition, config, options);
  const stop = () => void life.stop();
  options.signal?.addEventListener('abort', stop);
  try {
    await life.start();
  } catch (error) {
    await life.stop();
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', stop);
  }
  return life;
}

class ServiceLife<C extends ServiceConfig> implements StartedService {
  readonly name: string;
  readonly log: ServiceLog;
  readonly #stopping = new AbortController();
  readonly #health = new HealthChecks();
  readonly #metrics: ServiceMetrics;
  #server: HealthServer | undefined;
  #link: Promise<NatsLink> | undefined;
  #connected: NatsLink | undefined;
  #starting: Promise<RunningService> | undefined;
  #running: RunningService | undefined;
  #stopped: Promise<boolean> | undefined;
  readonly #observer: ServiceObserver;
  #exporter: OtlpExporter | undefined;

  constructor(
    private readonly definition: ServiceDefinition<C>,
    private readonly config: C,
    private readonly options: StartOptions,
  ) {
    const { name, version } = definition;
    this.name = name;
    this.#metrics = new ServiceMetrics(name, version, () => this.#health.look());
    this.#observer = new ServiceObserver(this.#metrics.work);
    this.log = new ServiceLog({
      service: name,
      version,
      replica: replicaOf(name),
      level: config.logLevel,
      ...(options.sink === undefined ? {} : { sink: options.sink }),
      onLine: (level) => this.#metrics.countLine(level),
    });
    for (const secret of secretsIn(config)) this.log.conceal(secret);
  }

  get healthUrl(): string {
    return this.#server?.url ?? '';
  }

  async isReady(): Promise<boolean> {
    return (await this.#health.look()).ready;
  }

  async start(): Promise<void> {
    const { name, version } = this.definition;
    this.#health.set('service', () =>
      this.#running === undefined ? { ok: false, detail: 'starting' } : workState(this.#running),
    );
    this.#server = await HealthServer.start({
      service: name,
      version,
      host: this.config.healthHost,
      port: this.config.healthPort,
      checks: this.#health,
      metrics: () => this.#metrics.text(),
      onError: (error) => this.log.error('a health request failed', { error }),
    });
    this.log.info('starting', { healthUrl: this.healthUrl, pid: process.pid });
    await this.#keepSpans();
    this.#starting = observing(this.#observer, () => this.definition.start(this.#context()));
    const running = await this.#starting;
    if (this.#stopping.signal.aborted) throw new TransientError('service.stopped', `${name} was told to stop while it started`);
    this.#running = running;
    this.log.info('started');
  }

  stop(): Promise<boolean> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  #context(): ServiceContext<C> {
    return {
      config: this.config,
      log: this.log,
      replica: replicaOf(this.name),
      health: this.#health,
      metrics: this.#metrics.registry,
      signal: this.#stopping.signal,
      nats: () => (this.#link ??= this.#connect()),
      fail: (error) => {
        this.log.fatal('the service can’t go on', { error });
        this.options.onFailure(error);
      },
    };
  }

  /** What sends spans is not even loaded where nobody wants them. */
  async #keepSpans(): Promise<void> {
    const { otlpEndpoint: endpoint, otlpHeaders } = this.config;
    if (endpoint === undefined) return;
    const { OtlpExporter } = await import('../tracing/otlp-exporter.js');
    const { name: service, version } = this.definition;
    const headers = otlpHeadersOf(otlpHeaders?.reveal() ?? '') ?? {};
    const count = this.#metrics.countSpans.bind(this.#metrics);
    const replica = replicaOf(service);
    this.#exporter = new OtlpExporter({ endpoint, headers, service, version, replica, log: this.log, count });
    this.#observer.keepSpans(this.#exporter);
  }

  async #connect(): Promise<NatsLink> {
    if (!(this.config instanceof NatsServiceConfig)) {
      throw new TerminalError('config.no-nats', `the configuration of ${this.name} does not extend NatsServiceConfig`);
    }
    const { natsUrl, natsUser, natsPassword } = this.config;
    const tls = natsTlsOf(this.config);
    this.#health.set('nats', () => natsState(this.#connected));
    this.#connected = await connectNats({
      url: natsUrl,
      ...(tls === undefined ? {} : { tls }),
      ...(natsUser === undefined ? {} : { user: natsUser }),
      ...(natsPassword === undefined ? {} : { password: natsPassword }),
      name: replicaOf(this.name),
      log: this.log,
      signal: this.#stopping.signal,
    });
    return this.#connected;
  }

  async #stop(): Promise<boolean> {
    this.#health.stop();
    this.#stopping.abort();
    this.log.info('stopping');
    const inTime = await this.#within(this.config.stopWithin, 'the service', this.#stopRunning());
    const closed = await this.#within(CLOSE_WITHIN, 'its connection to NATS', this.#leave());
    await this.#exporter?.stop();
    await this.#server?.stop();
    this.log.info('stopped', { inTime: inTime && closed });
    this.#metrics.stop();
    return inTime && closed;
  }

  /** A start that is still under way ends first; one that fails now leaves nothing to stop. */
  async #stopRunning(): Promise<void> {
    const running = await this.#starting?.catch(() => undefined);
    await running?.stop();
  }

  /** A connection that never came about, or was refused, needs no leaving. */
  async #leave(): Promise<void> {
    const link = await this.#link?.catch(() => undefined);
    await link?.drain();
  }

  async #within(limit: Duration, what: string, work: Promise<void>): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => (timer = setTimeout(() => resolve('late'), limit)));
    try {
      if ((await Promise.race([work, late])) !== 'late') return true;
      this.log.error(`${what} did not stop within ${describeDuration(limit)}`);
    } catch (error) {
      this.log.error(`${what} failed while stopping`, { error });
    } finally {
      clearTimeout(timer);
    }
    return false;
  }
}

const workState = (running: RunningService) => (running.ready ? { ok: true } : { ok: false, detail: 'not ready to work' });

function natsState(link: NatsLink | undefined) {
  if (link === undefined) return { ok: false, detail: 'not connected yet' };
  return link.state.connected ? { ok: true } : { ok: false, detail: `not connected since ${link.state.since.toISOString()}` };
}

/** Several replicas may run on one host, and several services in one process. */
const PROCESS_MARK = randomBytes(3).toString('hex');
const replicaOf = (service: string): string => `${service}@${hostname()}:${process.pid}-${PROCESS_MARK}`;
