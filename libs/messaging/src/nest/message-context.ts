import { BaseRpcContext } from '@nestjs/microservices';
import type { RequestInfo } from '../request/request-server.js';
import type { StreamMessage } from '../jetstream/stream-message.js';

/** What `@Ctx()` gives to a handler of a request. */
export class RequestContext extends BaseRpcContext<[RequestInfo]> {
  constructor(info: RequestInfo) {
    super([info]);
  }

  get info(): RequestInfo {
    return this.args[0];
  }
}

/** What `@Ctx()` gives to a handler of a message from a stream. */
export class DeliveryContext extends BaseRpcContext<[StreamMessage]> {
  constructor(message: StreamMessage) {
    super([message]);
  }

  /** How often the message was delivered, this delivery included. */
  get deliveries(): number {
    return this.args[0].deliveries;
  }

  /** Acknowledges now, not when the handler ends: a wake-up is acknowledged as soon as its claim is answered. */
  ack(): void {
    this.args[0].ack();
  }
}

/** What `@Ctx()` gives to a handler of an event. */
export class EventContext extends BaseRpcContext<[string]> {
  constructor(subject: string) {
    super([subject]);
  }

  get subject(): string {
    return this.args[0];
  }
}
