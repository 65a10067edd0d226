import { pino, type Logger } from 'pino';
import { currentTrace, type Secret } from '@windlass/foundation';
import type { MessagingLog } from '@windlass/messaging';
import type { LogLevel } from './log-level.js';
import { ConcealedValues, shownFields } from './masking.js';

export type LogFields = Readonly<Record<string, unknown>>;

/** Takes finished log lines, each with its line feed. */
export interface LogSink {
  write(line: string): void;
}

export interface ServiceLogOptions {
  service: string;
  version: string;
  /** Which replica of the service speaks. */
  replica: string;
  level: LogLevel;
  /** Standard output by default, written before the call returns, so that the last words of a dying process are there. */
  sink?: LogSink;
  /** Called for each line that is written. */
  onLine?: (level: LogLevel) => void;
}

/**
 * The log of one service: one JSON object a line, with time, level, service, and operation, step and trace of the running code. Secrets are
 * masked by the names of members and by the values made known with {@link ServiceLog.conceal}.
 */
export class ServiceLog implements MessagingLog {
  readonly #logger: Logger;
  readonly #concealed = new ConcealedValues();

  constructor(private readonly options: ServiceLogOptions) {
    const sink = options.sink ?? pino.destination({ fd: 1, sync: true });
    this.#logger = pino(
      {
        level: options.level,
        base: { service: options.service, version: options.version, replica: options.replica },
        timestamp: () => `,"time":"${new Date().toISOString()}"`,
        messageKey: 'message',
        formatters: { level: (level) => ({ level }) },
        mixin: traceFields,
      },
      sink,
    );
  }

  trace(message: string, fields?: LogFields): void {
    this.#write('trace', message, fields);
  }
  debug(message: string, fields?: LogFields): void {
    this.#write('debug', message, fields);
  }
  info(message: string, fields?: LogFields): void {
    this.#write('info', message, fields);
  }
  warn(message: string, fields?: LogFields): void {
    this.#write('warn', message, fields);
  }
  error(message: string, fields?: LogFields): void {
    this.#write('error', message, fields);
  }
  /** Before the process ends because of it. */
  fatal(message: string, fields?: LogFields): void {
    this.#write('fatal', message, fields);
  }

  /** From now on the secret's value is masked wherever it appears. */
  conceal(secret: Secret): void {
    this.#concealed.add(secret);
  }

  #write(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (!this.#logger.isLevelEnabled(level)) return;
    this.#logger[level](shownFields(fields, this.#concealed), this.#concealed.conceal(message));
    this.options.onLine?.(level);
  }
}

/** What every line says about the code that wrote it. */
function traceFields(): object {
  const trace = currentTrace();
  return trace === undefined ? {} : { traceId: trace.traceId, spanId: trace.spanId, ...trace.fields };
}
