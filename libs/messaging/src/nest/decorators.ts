import { applyDecorators, Catch, UseFilters, type RpcExceptionFilter } from '@nestjs/common';
import { EventPattern, MessagePattern } from '@nestjs/microservices';
import { throwError, type Observable } from 'rxjs';
import type { Contract, EventContract } from '../contracts/contract.js';
import { wakeUpEvent } from '../contracts/wake-up.js';
import type { ConsumerSpec } from '../jetstream/pull-consumer.js';
import { stepStream } from '../jetstream/streams.js';
import { stepConsumer, subjects } from '../contracts/subjects.js';

/** How the strategy recognises a handler of ours among Nest's patterns. */
export type HandlerRole =
  | { kind: 'serves'; contract: Contract<unknown, unknown> }
  | { kind: 'consumes'; event: EventContract<unknown>; consumer: ConsumerSpec }
  | { kind: 'hears'; event: EventContract<unknown>; subject: string };

/** Our errors must reach the strategy as they are: Nest's own filter would turn every error into "Internal server error". */
@Catch()
export class KeepErrors implements RpcExceptionFilter<unknown> {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

/** The method answers the contract's requests; its first argument is the data, `@Ctx()` a RequestContext. */
export const Serves = <Request, Reply>(contract: Contract<Request, Reply>): MethodDecorator => {
  const role: HandlerRole = { kind: 'serves', contract: contract as unknown as Contract<unknown, unknown> };
  return applyDecorators(MessagePattern(contract.subject, { windlass: role }), UseFilters(new KeepErrors()));
};

/** The method handles what a durable consumer delivers, in competition with other replicas; `@Ctx()` is a DeliveryContext. */
export const Consumes = <Data>(event: EventContract<Data>, consumer: ConsumerSpec): MethodDecorator => {
  const role: HandlerRole = { kind: 'consumes', event: event as unknown as EventContract<unknown>, consumer };
  return applyDecorators(EventPattern([consumer.subject], { windlass: role }), UseFilters(new KeepErrors()));
};

/** The method answers the wake-ups of a service. */
export const AnswersWakeUps = (service: string, options: Pick<ConsumerSpec, 'workers'> = {}): MethodDecorator =>
  Consumes(wakeUpEvent, { stream: stepStream, durable: stepConsumer(service), subject: subjects.step(service), ...options });

/** The method gets an event in every replica, while connected: for live views. `@Ctx()` is an EventContext. */
export const SubscribesTo = <Data>(event: EventContract<Data>, subject: string): MethodDecorator => {
  const role: HandlerRole = { kind: 'hears', event: event as unknown as EventContract<unknown>, subject };
  return applyDecorators(EventPattern([subject], { windlass: role }), UseFilters(new KeepErrors()));
};
