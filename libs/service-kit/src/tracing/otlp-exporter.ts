import axios, { type AxiosInstance } from 'axios';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { seconds, type Duration, type EndedWork } from '@windlass/foundation';
import type { MessagingLog } from '@windlass/messaging';
import { isRecorded, otlpAttributes, otlpSpan, type OtlpSpan } from './otlp-span.js';

/** Spans that wait at most: some 2 MB. What comes while so many wait is dropped. */
const MOST_WAITING = 2_048;
/** Spans of one request. */
const MOST_AT_ONCE = 512;
/** Between two looks at what waits. */
const EVERY = seconds(1);
/** One request, from the connection to the answer. */
const WITHIN = seconds(5);
/** After a collector that did not take them; twice as long each time, up to this. */
const LONGEST_PAUSE = seconds(60);
/** What a stopping service gives to the spans that still wait. */
const LAST_WITHIN = seconds(1);
/** Bytes of an answer that are read. */
const MOST_ANSWER = 64 * 1024;
/** Statuses after which the same spans are sent again (OTLP 1.x, "Retryable Response Codes"). */
const TRY_AGAIN = new Set([429, 502, 503, 504]);

/** What became of spans. */
export type SpanFate = 'sent' | 'dropped' | 'refused';

export interface OtlpOptions {
  /** Without `/v1/traces`. */
  endpoint: string;
  /** Sent with each request: who we are to the collector. */
  headers?: Readonly<Record<string, string>>;
  service: string;
  version: string;
  replica: string;
  log: Pick<MessagingLog, 'info' | 'warn'>;
  count: (fate: SpanFate, spans: number) => void;
  every?: Duration;
}

/**
 * Sends spans to a collector by OTLP over HTTP, in JSON. Whoever ends work waits for nothing: spans are put into a bounded queue, and what a
 * collector that is slow or away can't take in time is dropped and counted.
 */
export class OtlpExporter {
  readonly #waiting: OtlpSpan[] = [];
  readonly #stopping = new AbortController();
  readonly #agents = {
    httpAgent: new HttpAgent({ keepAlive: true, maxSockets: 1 }),
    httpsAgent: new HttpsAgent({ keepAlive: true, maxSockets: 1 }),
  };
  readonly #http: AxiosInstance;
  readonly #loop: Promise<void>;
  #failing = false;

  constructor(private readonly options: OtlpOptions) {
    this.#http = axios.create({
      adapter: 'http',
      baseURL: options.endpoint.replace(/\/$/, ''),
      headers: { ...options.headers, 'Content-Type': 'application/json' },
      proxy: false,
      maxRedirects: 0,
      timeout: WITHIN,
      maxContentLength: MOST_ANSWER,
      validateStatus: () => true,
      ...this.#agents,
    });
    this.#loop = this.#run();
  }

  ended(work: EndedWork): void {
    if (!isRecorded(work)) return;
    if (this.#waiting.length >= MOST_WAITING) this.options.count('dropped', 1);
    else this.#waiting.push(otlpSpan(work));
  }

  /** Sends what waits once more, briefly. What can't be sent is dropped. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    const until = performance.now() + LAST_WITHIN;
    while (this.#waiting.length > 0 && performance.now() < until)
      if (!(await this.#send(AbortSignal.timeout(LAST_WITHIN)))) break;
    if (this.#waiting.length > 0) this.options.count('dropped', this.#waiting.splice(0).length);
    this.#agents.httpAgent.destroy();
    this.#agents.httpsAgent.destroy();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const every = this.options.every ?? EVERY;
    let next: number = every;
    while (!signal.aborted) {
      await pause(next, undefined, { signal, ref: false }).catch(() => undefined); // ended early by stop()
      next = (await this.#sendAll(signal)) ? every : Math.min(Math.max(next, every) * 2, LONGEST_PAUSE);
    }
  }

  /** @returns whether all that waited has gone */
  async #sendAll(signal: AbortSignal): Promise<boolean> {
    while (this.#waiting.length > 0) if (!(await this.#send(signal))) return false;
    return true;
  }

  /** One request; the spans stay in the queue until it was answered. @returns whether more may be sent at once */
  async #send(signal: AbortSignal): Promise<boolean> {
    const spans = this.#waiting.slice(0, MOST_AT_ONCE);
    const answer = await this.#post(spans, signal);
    if (answer === 'later') return false;
    this.#waiting.splice(0, spans.length);
    this.options.count(answer, spans.length);
    return true;
  }

  async #post(spans: readonly OtlpSpan[], signal: AbortSignal): Promise<'sent' | 'refused' | 'later'> {
    try {
      const { status } = await this.#http.post('/v1/traces', this.#body(spans), { signal });
      if (status >= 200 && status < 300) {
        if (this.#failing) this.options.log.info('traces are sent again');
        this.#failing = false;
        return 'sent';
      }
      this.#fails(`the collector answered ${status}`);
      return TRY_AGAIN.has(status) ? 'later' : 'refused';
    } catch (error) {
      // The error of the client carries the headers: nothing but its code is told.
      if (!signal.aborted) this.#fails(axios.isAxiosError(error) && error.code !== undefined ? error.code : 'no answer');
      return 'later';
    }
  }

  #fails(reason: string): void {
    if (!this.#failing) this.options.log.warn('traces can’t be sent; trying again, what does not fit is dropped', { reason });
    this.#failing = true;
  }

  #body(spans: readonly OtlpSpan[]): object {
    const { service, version, replica } = this.options;
    const resource = {
      'service.name': service,
      'service.namespace': 'windlass',
      'service.version': version,
      'service.instance.id': replica,
    };
    const scopeSpans = [{ scope: { name: 'windlass', version }, spans }];
    return { resourceSpans: [{ resource: { attributes: otlpAttributes(resource) }, scopeSpans }] };
  }
}
