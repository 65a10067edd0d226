import type { LoggerService } from '@nestjs/common';
import type { LogFields, ServiceLog } from './service-log.js';

/** Nest's own lines in a service's log. Nest has one logger for a process: with several services in it, the last one made has them all. */
export class NestLogger implements LoggerService {
  constructor(private readonly serviceLog: ServiceLog) {}

  log(message: unknown, ...rest: unknown[]): void {
    // What Nest calls "log" is about its own start: modules, routes, controllers.
    this.serviceLog.debug(...line(message, rest));
  }
  error(message: unknown, ...rest: unknown[]): void {
    this.serviceLog.error(...line(message, rest));
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.serviceLog.warn(...line(message, rest));
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.serviceLog.debug(...line(message, rest));
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.serviceLog.trace(...line(message, rest));
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.serviceLog.fatal(...line(message, rest));
  }
}

/** Nest's arguments: a message or an error, perhaps a stack, and last the name of the class that speaks. */
function line(message: unknown, rest: readonly unknown[]): [string, LogFields] {
  const nest = typeof rest.at(-1) === 'string' ? rest.at(-1) : undefined;
  const more = nest === undefined ? rest : rest.slice(0, -1);
  const details = more.filter((entry) => entry !== undefined);
  const fields = { ...(nest === undefined ? {} : { nest }), ...(details.length === 0 ? {} : { details }) };
  if (message instanceof Error) return [message.message, { ...fields, error: message }];
  if (typeof message === 'string') return [message, fields];
  return ['a message of Nest', { ...fields, value: message }];
}
