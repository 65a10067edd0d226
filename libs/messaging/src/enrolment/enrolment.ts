import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { asWindlassError, millis, minutes, seconds, TransientError, type Duration } from '@windlass/foundation';
import type { MessagingLog } from '../link/nats-link.js';
import type { RequestClient } from '../request/request-client.js';
import type { KeyPair } from '../sealing/key-pair.js';
import { seal } from '../sealing/sealed-box.js';
import { enrolAad, enrolContract, type EnrolAnswer, type EnrolRefusal } from './enrolment-contract.js';
import { parseToken, tokenText, type EnrolmentToken } from './enrolment-token.js';

export interface EnrolmentOptions {
  client: RequestClient;
  /** The service whose steps the key is for. */
  service: string;
  /** Names this replica, for people. */
  worker: string;
  keys: KeyPair;
  /** The path of the key, for messages about the key. */
  keyFile?: string;
  /** The file with the operator's token. The file may come later: every try reads it. */
  tokenFile?: string;
  log: MessagingLog;
}

/** Whether the coordinators take this worker's key, and what there is to do if they don't. */
export type EnrolmentState = { enrolled: true } | { enrolled: false; detail: string };

/**
 * Between two tries of a worker that is not enrolled; the token's file is looked at each time. With such a growth a pause is a quarter of what was
 * waited before: a coordinator that starts beside the worker is found soon.
 */
const TRY_AGAIN = { first: millis(100), growth: 1.25, longest: seconds(3) };
/** The pause before a refused token is tried again: nothing about the token has changed, and each try stands in two logs. */
const SAME_TOKEN_AGAIN = minutes(1);
/** Between two looks of an enrolled worker. A refused claim tells the worker earlier. */
const LOOK_AGAIN = seconds(30);

/** A worker's own key, and its way into the coordinators' list of keys. Keeps trying for as long as it lives. */
export class Enrolment {
  readonly keys: KeyPair;
  readonly #stopping = new AbortController();
  #state: EnrolmentState = { enrolled: false, detail: 'the coordinators have not answered yet' };
  #wake: AbortController = new AbortController();
  #waiting: (() => void)[] = [];
  #refusedToken: { text: string; reason: EnrolRefusal; until: number } | undefined;
  #loop: Promise<void> | undefined;

  constructor(private readonly options: EnrolmentOptions) {
    this.keys = options.keys;
  }

  get state(): EnrolmentState {
    return this.#state;
  }

  /** Begins to ask. */
  start(): this {
    this.#loop ??= this.#run();
    return this;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake.abort();
    this.#release();
    await this.#loop;
  }

  /** Resolves once the key is enrolled, or this is stopped; undefined where there is nothing to wait for. */
  readonly admitted = (): Promise<void> | undefined =>
    this.#state.enrolled || this.#stopping.signal.aborted
      ? undefined
      : new Promise<void>((resolve) => this.#waiting.push(resolve));

  /** A claim was refused for our key: the worker asks about its enrolment at once. */
  refused(reason: EnrolRefusal): void {
    this.#become({ enrolled: false, detail: this.#todo(reason) });
    this.#wake.abort();
  }

  async #run(): Promise<void> {
    let next: Duration = TRY_AGAIN.first;
    while (!this.#isStopping()) {
      await this.#round();
      if (this.#state.enrolled) next = TRY_AGAIN.first;
      await this.#pause(this.#state.enrolled ? LOOK_AGAIN : next);
      next = millis(Math.min(next * TRY_AGAIN.growth, TRY_AGAIN.longest));
    }
  }

  async #round(): Promise<void> {
    try {
      const answer = await this.#ask();
      if (this.#isStopping()) return;
      this.#become(
        answer.enrolled ? { enrolled: true } : { enrolled: false, detail: this.#todo(answer.reason ?? 'unknown-key') },
      );
    } catch (caught) {
      const error = asWindlassError(caught);
      // A coordinator that is away changes nothing: an enrolled key stays enrolled, and claims wait for a coordinator anyhow.
      const away = error instanceof TransientError && error.code.startsWith('messaging.');
      if (this.#isStopping() || (away && this.#state.enrolled)) return;
      this.#become({ enrolled: false, detail: error.message }, away ? 'quietly' : 'aloud');
    }
  }

  /** Asks first without a token whether our key is enrolled, then asks with the token. A token that was refused just now is not sent. */
  async #ask(): Promise<EnrolAnswer> {
    const answer = await this.#request();
    if (answer.enrolled || answer.reason !== 'unknown-key') return answer;
    const token = await this.#token();
    if (token === undefined) return answer;
    const text = tokenText(token).reveal();
    const refused = this.#refusedToken;
    if (refused?.text === text && performance.now() < refused.until) return { enrolled: false, reason: refused.reason };
    const told = await this.#request(token);
    this.#refusedToken =
      told.enrolled || told.reason === undefined
        ? undefined
        : { text, reason: told.reason, until: performance.now() + SAME_TOKEN_AGAIN };
    return told;
  }

  #request(token?: EnrolmentToken): Promise<EnrolAnswer> {
    const { client, service, worker, keys } = this.options;
    const { x } = keys.public;
    const sealedToken =
      token === undefined
        ? {}
        : { sealedToken: seal(token.coordinatorKey, Buffer.from(tokenText(token).reveal()), enrolAad(service, x)) };
    return client.request(enrolContract, { service, worker, publicKey: x, ...sealedToken }, { signal: this.#stopping.signal });
  }

  /** Undefined where no file was named, or the file is empty or not there yet. @throws TerminalError when the file holds no token */
  async #token(): Promise<EnrolmentToken | undefined> {
    const { tokenFile } = this.options;
    if (tokenFile === undefined) return undefined;
    let text: string;
    try {
      text = await readFile(tokenFile, 'utf8');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return undefined;
      throw new TransientError(
        'enrolment.unreadable-token',
        `the enrolment token's file ${tokenFile} can't be read: ${code ?? '?'}`,
      );
    }
    return text.trim() === '' ? undefined : parseToken(text);
  }

  #become(state: EnrolmentState, how: 'aloud' | 'quietly' = 'aloud'): void {
    const { log, service, keys } = this.options;
    const before = this.#state;
    this.#state = state;
    if (state.enrolled) {
      if (!before.enrolled) log.info('our key is enrolled', { service, keyId: keys.public.id });
      this.#release();
    } else if (how === 'aloud' && (before.enrolled || before.detail !== state.detail)) {
      log.error('our key is not enrolled, so we are given no steps', { service, keyId: keys.public.id, detail: state.detail });
    }
  }

  #release(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** For people: what is wrong, and what helps. */
  #todo(reason: EnrolRefusal): string {
    const { service, keys, tokenFile, keyFile } = this.options;
    const put = `make a token with "./windlass enrolment-token create --service ${service}" and put it into ${
      tokenFile ?? 'a file that ENROLMENT_TOKEN_FILE names'
    }`;
    const anew = `stop the service, remove its key file${keyFile === undefined ? '' : ` ${keyFile}`}, start it again`;
    switch (reason) {
      case 'unknown-key':
        return `the coordinators do not know key ${keys.public.id}: ${put}`;
      case 'key-revoked':
        return `key ${keys.public.id} was revoked, and is never taken again: ${anew}, and ${put}`;
      case 'key-of-another-service':
        return `key ${keys.public.id} is enrolled for another service: each service needs a key file of its own; ${anew}`;
      default:
        return `the enrolment token was refused (${reason}): ${put}`;
    }
  }

  /** A method, not a constant: stop() changes the signal while others are awaited. */
  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #pause(wait: Duration): Promise<void> {
    const jittered = wait * (0.75 + Math.random() / 2);
    await pause(jittered, undefined, { signal: this.#wake.signal }).catch(() => undefined); // woken early
    if (!this.#isStopping()) this.#wake = new AbortController();
  }
}

/** What an enrolment says to a service's readiness. */
export const enrolmentCheck = ({ state }: Pick<Enrolment, 'state'>): { ok: boolean; detail?: string } =>
  state.enrolled ? { ok: true } : { ok: false, detail: state.detail };
