import { seconds, waitUntil, type Duration, type JsonObject } from '@windlass/foundation';
import { testServer, type SeenRequest, type TestServer } from '@windlass/outbound/testing';
import { schemaErrors, SCHEMA_NAMES, type SchemaName } from '@windlass/sol003/schemas';
import type { ServerResponse } from 'node:http';

/** Gives the status of the answer to a notification; undefined: no answer. */
export type Behaviour = (attempt: number, request: SeenRequest) => number | undefined | Promise<number | undefined>;

/** A subscriber: a real HTTP server that takes notifications, and checks each against ETSI's schemas first. */
export class Subscriber {
  /** Notifications that were answered with 204, in the order of their arrival. */
  readonly taken: JsonObject[] = [];
  /** What the schemas found wrong with notifications. */
  readonly faults: string[] = [];
  #server: TestServer | undefined;
  #port = 0;
  #attempts = 0;

  private constructor(private readonly behaviour: Behaviour) {}

  static async start(behaviour: Behaviour = () => 204): Promise<Subscriber> {
    const subscriber = new Subscriber(behaviour);
    await subscriber.comeBack();
    return subscriber;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/callback`;
  }

  get attempts(): number {
    return this.#attempts;
  }

  get requests(): readonly SeenRequest[] {
    return this.#server?.seen ?? [];
  }

  /** Stops listening. */
  async goAway(): Promise<void> {
    await this.#server?.close();
    this.#server = undefined;
  }

  /** Listens again, on the same port. */
  async comeBack(): Promise<void> {
    this.#server = await testServer((request, response) => this.#answer(request, response), { port: this.#port });
    this.#port = this.#server.port;
  }

  async #answer(request: SeenRequest, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') return void response.writeHead(204).end();
    this.#attempts += 1;
    this.faults.push(...faultsOf(request));
    const status = await this.behaviour(this.#attempts, request);
    if (status === undefined) return;
    if (status === 204) this.taken.push(JSON.parse(request.body) as JsonObject);
    response.writeHead(status).end();
  }

  /** The notifications without repetitions: a delivery whose answer was lost may come again. */
  get heard(): JsonObject[] {
    return this.taken.filter(({ id }, n) => this.taken.findIndex((other) => other.id === id) === n);
  }

  /** A word for each notification of an instance, in order: `created`, `MODIFY_INFO COMPLETED`. */
  story(vnfInstanceId?: string): string[] {
    return this.heard.filter((each) => vnfInstanceId === undefined || each.vnfInstanceId === vnfInstanceId).map(wordOf);
  }

  /** Waits until so many different notifications were taken. */
  until(count: number, within: Duration = seconds(30)): Promise<true> {
    return waitUntil(
      (seen) => {
        seen(`${this.heard.length} of ${count}: ${this.story().slice(-5).join(', ')}`);
        return Promise.resolve(this.heard.length >= count ? true : undefined);
      },
      { for: `${count} notifications`, within, every: seconds(0.05) },
    );
  }
}

const wordOf = ({ notificationType, operation, operationState, changeType }: JsonObject): string => {
  switch (notificationType) {
    case 'VnfIdentifierCreationNotification':
      return 'created';
    case 'VnfIdentifierDeletionNotification':
      return 'deleted';
    case 'VnfLcmOperationOccurrenceNotification':
      return `${String(operation)} ${String(operationState)}`;
    default:
      return `${String(notificationType)} ${String(changeType)}`;
  }
};

function faultsOf({ body, headers, method }: SeenRequest): string[] {
  if (method !== 'POST' || headers['content-type'] !== 'application/json')
    return [`${method} ${String(headers['content-type'])}`];
  const notification = JSON.parse(body) as JsonObject;
  const name = SCHEMA_NAMES.find((each): each is SchemaName => each === notification.notificationType);
  if (name === undefined) return [`no schema of ${String(notification.notificationType)}`];
  return schemaErrors(name, notification).map((fault) => `${name}: ${fault}`);
}
