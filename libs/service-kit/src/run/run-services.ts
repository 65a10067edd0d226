import { asWindlassError } from '@windlass/foundation';
import type { ServiceConfig } from '../config/config.js';
import { helpText } from '../config/help.js';
import { ConfigError, processEnvironment, type Environment } from '../config/read-config.js';
import { EXIT } from './exit-codes.js';
import { showOwnLines } from './own-lines.js';
import type { ServiceDefinition } from './service.js';
import { startService, type StartedService } from './start-service.js';

/** One service of a process. */
export interface ServiceEntry<C extends ServiceConfig = ServiceConfig> {
  definition: ServiceDefinition<C>;
  /** What it is told; the process's environment by default. With several services in a process each has its own NATS user. */
  environment?: Environment;
}

/** What a supervisor that started us with an IPC channel is told. */
export type SupervisorMessage =
  | { windlass: 'started'; service: string; healthUrl: string }
  /** The process is about to end with status 1 or 78. */
  | ({ windlass: 'failed' } & ServiceFailure);

/** Why a service ended: a stable dotted code, and the words for people. */
export interface ServiceFailure {
  code: string;
  reason: string;
}

/**
 * Runs a service as this process: `--help`, `--version`, configuration, signals, exit status. Returns when the service has started; the process
 * ends when it is told to stop or when something fails. It also stops when a supervisor that started it with an IPC channel has died.
 */
export async function runService<C extends ServiceConfig>(definition: ServiceDefinition<C>): Promise<void> {
  const [argument] = process.argv.slice(2);
  if (argument === '--help' || argument === '-h') {
    process.stdout.write(helpText(definition));
  } else if (argument === '--version') {
    process.stdout.write(`${definition.version}\n`);
  } else if (argument !== undefined) {
    process.stderr.write(`unknown argument ${argument}; ${definition.name} takes --help and --version\n`);
    process.exitCode = EXIT.misconfigured;
  } else {
    await runServices([{ definition }]);
  }
}

/** Runs several services in this process, started in the given order and stopped in the reverse; when one fails, all end. */
export async function runServices(entries: readonly ServiceEntry[]): Promise<void> {
  await new ServiceProcess().run(entries);
}

/** What belongs to the whole process: there is one of it. */
class ServiceProcess {
  readonly #started: StartedService[] = [];
  #starting: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();
  #ending = false;

  async run(entries: readonly ServiceEntry[]): Promise<void> {
    showOwnLines();
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void this.#told(signal));
    this.#endWithSupervisor();
    process.on('uncaughtException', (error) => this.#died('an exception was not caught', error));
    process.on('unhandledRejection', (reason) => this.#died('a rejection was not handled', reason));
    this.#starting = this.#start(entries);
    await this.#starting;
  }

  /** Without a supervisor the process has no channel (undefined). A supervisor that died while our code was loaded leaves null, and no event. */
  #endWithSupervisor(): void {
    const { channel } = process as { channel?: object | null };
    const told = (): void => void this.#told('the end of our supervisor');
    if (channel === null) told();
    else if (channel !== undefined) process.on('disconnect', told);
  }

  async #start(entries: readonly ServiceEntry[]): Promise<void> {
    for (const { definition, environment } of entries) {
      if (this.#isEnding()) return;
      try {
        const service = await startService(definition, {
          environment: environment ?? processEnvironment(),
          signal: this.#stopping.signal,
          onFailure: (error) => void this.#failed(error),
        });
        this.#started.push(service);
        this.#report({ windlass: 'started', service: service.name, healthUrl: service.healthUrl });
      } catch (error) {
        if (!this.#isEnding()) await this.#couldNotStart(definition.name, error);
        return;
      }
    }
  }

  /** Read anew at each call: signals change it. */
  #isEnding(): boolean {
    return this.#ending;
  }

  async #couldNotStart(name: string, error: unknown): Promise<void> {
    const known = asWindlassError(error);
    process.stderr.write(`${name} can't start: ${known.message}\n`);
    if (!(error instanceof ConfigError) && known.cause instanceof Error) process.stderr.write(`${known.cause.stack ?? ''}\n`);
    this.#report({ windlass: 'failed', code: known.code, reason: known.message });
    await this.#end(error instanceof ConfigError ? EXIT.misconfigured : EXIT.failed);
  }

  async #failed(error: Error): Promise<void> {
    this.#report({ windlass: 'failed', code: asWindlassError(error).code, reason: error.message });
    await this.#end(EXIT.failed);
  }

  /** The first time in order, the second time at once. */
  async #told(by: string): Promise<void> {
    if (this.#ending) {
      process.stderr.write(`ending at once (${by})\n`);
      process.exit(EXIT.failed);
    }
    for (const { log } of this.#started) log.info('told to stop', { by });
    await this.#end(EXIT.ok);
  }

  /** Nothing is known about the state of the process any more: it says so and ends, and its successor resumes. */
  #died(what: string, reason: unknown): never {
    const error = reason instanceof Error ? reason : new Error(String(reason));
    const log = this.#started.at(-1)?.log;
    if (log === undefined) process.stderr.write(`${what}: ${error.stack ?? error.message}\n`);
    else log.fatal(what, { error });
    process.exit(EXIT.failed);
  }

  async #end(code: number): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    this.#stopping.abort();
    let inTime = true;
    for (const service of [...this.#started].reverse()) inTime = (await service.stop()) && inTime;
    // One that was still starting has stopped itself by the signal.
    if (code === EXIT.ok) await this.#starting;
    process.exit(code === EXIT.ok && !inTime ? EXIT.failed : code);
  }

  #report(message: SupervisorMessage): void {
    if (process.channel !== undefined && process.connected) process.send?.(message);
  }
}
