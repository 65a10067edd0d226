import { asWindlassError, InvariantError, TransientError, WindlassError } from '@windlass/foundation';
import type { ManagementDriver } from '@windlass/mgmt-driver';
import { defineContract, type Contract } from '../contracts/contract.js';
import type { Enrolment } from '../enrolment/enrolment.js';
import { UndecodableMessage } from '../envelope/envelope.js';
import { errorData } from '../envelope/error-envelope.js';
import type { MessagingLog, NatsLink } from '../link/nats-link.js';
import { tooLarge } from '../link/too-large.js';
import { RequestClient } from '../request/request-client.js';
import { RequestServer, type RequestInfo } from '../request/request-server.js';
import {
  mgmtContracts,
  type DriverAnswer,
  type DriverContract,
  type DriverRequest,
  type ProvenAnswer,
} from './mgmt-contracts.js';
import { announceDriver } from './driver-announcer.js';
import { ProofKeys, proofOfAnswer } from './proof.js';

export interface DriverServiceOptions {
  link: NatsLink;
  driver: ManagementDriver;
  /** The service's enrolment: the enrolled key proves what the driver says. */
  enrolment: Pick<Enrolment, 'keys' | 'admitted'>;
  log: MessagingLog;
}

/** Bytes that an answer's message has beside its body: the envelope. Backslashes that JSON puts before quotes come on top. */
const AROUND_THE_BODY = 1_024;

/**
 * A management driver on NATS, as version 2 of its contract has it: announced until it is kept, answering `describe`, `validate` and `plan`
 * with proofs of its service's enrolled key. Errors are answers as well: an error that anybody could have sent would end an operation.
 */
export class DriverService {
  readonly #server: RequestServer;
  readonly #secrets = new ProofKeys('driver');
  readonly #stopping = new AbortController();
  #kept = false;
  #announced: Promise<void> = Promise.resolve();

  constructor(private readonly options: DriverServiceOptions) {
    this.#server = new RequestServer(options.link, options.driver.describe().service, options.log);
  }

  /** Begins to answer, and announces the driver. */
  start(): this {
    const { link, driver, enrolment, log } = this.options;
    const description = driver.describe();
    const contracts = mgmtContracts(description.driver);
    this.#serve(contracts.describe, () => description);
    this.#serve(contracts.validate, (request, tenant) => driver.validate(request, tenant));
    this.#serve(contracts.plan, (context) => driver.plan(context));
    const { keys, admitted } = enrolment;
    const options = { client: new RequestClient(link), keys, secrets: this.#secrets, log, admitted };
    this.#announced = announceDriver(description, options, this.#stopping.signal).then((kept) => void (this.#kept = kept));
    return this;
  }

  /** Whether lcm-api has kept the description: before that, requests for the driver are refused. */
  get kept(): boolean {
    return this.#kept;
  }

  /** Takes no more requests; resolves when the requests taken before are answered. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#announced;
    await this.#server.drain();
  }

  #serve<Ask, Reply>(
    contract: DriverContract<Ask, Reply>,
    answer: (ask: Ask, tenant: string | undefined) => Reply | Promise<Reply>,
  ): void {
    this.#server.serve(door(contract), async (request, info) => {
      const checked = contract.request.check(request);
      if (!checked.ok) throw refusedRequest(contract, request, checked.wrong);
      const body = await this.#answered(contract, checked.value, info, answer);
      const { askedBy, nonce } = checked.value;
      const { keys } = this.options.enrolment;
      const words = { subject: contract.subject, nonce, request: info.bytes, body };
      return { v: 2, keyId: keys.public.id, body, mac: proofOfAnswer(this.#secrets.of(keys, askedBy), words) };
    });
  }

  /** The body of the answer: the reply, or the error. */
  async #answered<Ask, Reply>(
    { name, ask: rule, answer: answerRule }: DriverContract<Ask, Reply>,
    { ask }: DriverRequest<Ask>,
    { tenant, id, subject }: RequestInfo,
    answer: (ask: Ask, tenant: string | undefined) => Reply | Promise<Reply>,
  ): Promise<string> {
    try {
      const asked = rule.check(ask);
      if (!asked.ok) throw new UndecodableMessage(`a ${name}.ask`, asked.wrong);
      const reply: DriverAnswer<Reply> = { reply: await answer(asked.value, tenant) };
      const body = JSON.stringify(reply);
      const sound = answerRule.check(JSON.parse(body));
      if (!sound.ok)
        throw new InvariantError(new UndecodableMessage(`a ${name}.answer we were about to send is wrong`, sound.wrong).message);
      this.#assertSize(body);
      return body;
    } catch (error) {
      if (!(error instanceof WindlassError) || error instanceof InvariantError)
        this.options.log.error('a request failed unexpectedly', { subject, id, error: asWindlassError(error) });
      return JSON.stringify({ error: errorData(error) } satisfies DriverAnswer<Reply>);
    }
  }

  #assertSize(body: string): void {
    const { maxPayload } = this.options.link;
    // As it stands in the message: a text within JSON.
    const size = Buffer.byteLength(JSON.stringify(body)) + AROUND_THE_BODY;
    if (size > maxPayload) throw tooLarge('the answer', size, maxPayload);
  }
}

/** Takes any request: a request of another version is answered with what is wrong with it. */
const door = <Ask>({ name, subject, reply }: DriverContract<Ask, unknown>): Contract<object, ProvenAnswer> =>
  defineContract<object, ProvenAnswer>({ name, subject, request: { type: 'object' }, reply: reply.schema });

/** An error without a proof: the asker sent no key, and is no Windlass of today. */
function refusedRequest<Ask>(
  { name }: DriverContract<Ask, unknown>,
  request: object,
  wrong: ConstructorParameters<typeof UndecodableMessage>[1],
): WindlassError {
  if ('v' in request) return new UndecodableMessage(`a ${name}.request`, wrong);
  const detail =
    'this management driver speaks version 2 of its contract, the request is of version 1: upgrade lcm-api and saga-coordinator';
  return new TransientError('driver.asked-by-version-1', detail);
}
