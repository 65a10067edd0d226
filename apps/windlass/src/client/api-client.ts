import type { ReceivedEvent } from './event-stream.js';
import { openEvents } from './open-events.js';
import { axios } from './axios.js';
import { nextOf, pathIn } from './links.js';
import { text } from './text.js';
import {
  minutes,
  RequestError,
  seconds,
  TransientError,
  waitUntil,
  type Duration,
  type Json,
  type JsonObject,
} from '@windlass/foundation';
import type { StepAnswer } from '@windlass/lcm-api';
import type { AxiosInstance, AxiosResponse } from 'axios';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Agent } from 'node:https';
import type { Readable } from 'node:stream';
import { text as streamText } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

/** What the command line reads of a step, as `/windlass/v1/operations/{id}/steps` shows it. */
export type StepView = Pick<
  StepAnswer,
  | 'id'
  | 'parentId'
  | 'depth'
  | 'action'
  | 'version'
  | 'target'
  | 'phase'
  | 'state'
  | 'attempt'
  | 'attemptsAllowed'
  | 'waitsFor'
  | 'progress'
  | 'error'
  | 'startedAt'
  | 'endedAt'
>;

const RESTS = ['COMPLETED', 'FAILED_TEMP', 'FAILED', 'ROLLED_BACK'];

/** The REST API as the command line uses it. */
export class ApiClient {
  readonly #http: AxiosInstance;

  /**
   * @param warn is told what the API says that a person should know of an answer that is no error
   * @param ca PEM text of the authorities that are trusted; the machine's own without it
   */
  constructor(
    baseUrl: string,
    token: string,
    private readonly warn: (warning: string) => void = (warning) => process.stderr.write(`windlass: warning: ${warning}\n`),
    ca?: string,
  ) {
    this.#http = axios.create({
      baseURL: baseUrl,
      headers: { 'X-Auth-Token': token },
      ...(ca === undefined ? {} : { httpsAgent: new Agent({ ca }) }),
      validateStatus: () => true,
      proxy: false,
      timeout: seconds(60),
      maxRedirects: 0,
    });
  }

  async get<T = JsonObject>(path: string): Promise<T> {
    return (await this.#checked<T>(this.#http.get<T>(path), [200])).data;
  }

  async list(path: string): Promise<JsonObject[]> {
    return this.get<JsonObject[]>(path);
  }

  /** The entries of a list, page after page: all, or the first so many. */
  async pages<T = JsonObject>(path: string, atMost = Number.POSITIVE_INFINITY): Promise<T[]> {
    const all: T[] = [];
    for (let next: string | undefined = path; next !== undefined && all.length < atMost;) {
      const answer: AxiosResponse<T[]> = await this.#checked<T[]>(this.#http.get<T[]>(next), [200]);
      all.push(...answer.data);
      next = nextOf(path, text(answer.headers.link as Json | undefined));
    }
    return all.slice(0, atMost);
  }

  /** The live events of a resource, as one connection brings them. */
  events(path: string, lastEventId: string | undefined, signal: AbortSignal): AsyncGenerator<ReceivedEvent> {
    return openEvents(this.#http, path, lastEventId, signal);
  }

  /** Writes what is answered into a file. */
  async download(path: string, file: string): Promise<void> {
    const request = this.#http.get<Readable>(path, { responseType: 'stream', headers: { Accept: 'application/zip' } });
    const { data } = await this.#checked<Readable>(request, [200]);
    await pipeline(data, createWriteStream(file));
  }

  /** What a POST answers in bytes, as they come. */
  async bytes(path: string, type: string): Promise<Readable> {
    const headers = { Accept: `${type}, application/problem+json` };
    const request = this.#http.post<Readable>(path, {}, { responseType: 'stream', headers });
    return (await this.#checked<Readable>(request.then(withProblem), [200])).data;
  }

  async post<T = JsonObject>(path: string, body: unknown): Promise<T> {
    return (await this.#checked<T>(this.#http.post<T>(path, body), [200, 201])).data;
  }

  /** A task that is accepted; returns the path of its operation occurrence. */
  async accept(path: string, body: unknown): Promise<string> {
    const answer = await this.#checked(this.#http.post(path, body), [202]);
    return pathIn(String(answer.headers.location));
  }

  /** A task on an operation, accepted without saying more. */
  async task(path: string, body: unknown): Promise<void> {
    await this.#checked(this.#http.post(path, body), [202]);
  }

  /** A merge patch that is accepted as an operation; returns the path of its occurrence. */
  async acceptPatch(path: string, body: unknown): Promise<string> {
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const answer = await this.#checked(this.#http.patch(path, body, { headers }), [202]);
    return pathIn(String(answer.headers.location));
  }

  async patch<T = JsonObject>(path: string, body: unknown): Promise<T> {
    return (
      await this.#checked<T>(
        this.#http.patch<T>(path, body, { headers: { 'Content-Type': 'application/merge-patch+json' } }),
        [200, 202],
      )
    ).data;
  }

  async delete(path: string): Promise<void> {
    await this.#checked(this.#http.delete(path), [204]);
  }

  /** Uploads a package file and waits until it is onboarded. @throws RequestError with the reason when it is refused: nothing of it is left */
  async onboard(file: string): Promise<JsonObject> {
    const id = await this.upload(file);
    return this.#orNothing(id, this.onboarded(id, minutes(10)));
  }

  /** A package that was refused goes. What can't be taken away is told, and does not hide why it was refused. */
  async #orNothing<T>(id: string, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof RequestError)
        await this.delete(`/vnfpkgm/v1/vnf_packages/${id}`).catch((left: unknown) =>
          this.warn(`package ${id} is left, remove it with "windlass package delete ${id}": ${(left as Error).message}`),
        );
      throw error;
    }
  }

  /** Uploads a package file; resolves with the package's id when its bytes are kept. */
  async upload(file: string): Promise<string> {
    // Before anything is made: a file that is not there leaves nothing.
    const { size } = await stat(file);
    const { id } = await this.post<{ id: string }>('/vnfpkgm/v1/vnf_packages', {});
    const headers = { 'Content-Type': 'application/zip', 'Content-Length': text(size) };
    const sent = this.#checked(
      this.#http.put(`/vnfpkgm/v1/vnf_packages/${id}/package_content`, createReadStream(file), {
        headers,
        maxBodyLength: Number.POSITIVE_INFINITY,
      }),
      [202],
    );
    await this.#orNothing(id, sent);
    return id;
  }

  /** Waits until an uploaded package is onboarded. @throws RequestError with the reason when it is refused */
  async onboarded(id: string, within: Duration): Promise<JsonObject> {
    return waitUntil(
      async (seen) => {
        const shown = await this.get(`/vnfpkgm/v1/vnf_packages/${id}`);
        seen(text(shown.onboardingState));
        const failure = shown.onboardingFailureDetails as JsonObject | undefined;
        if (failure !== undefined)
          throw new RequestError(400, text(failure.code), `the package was refused: ${text(failure.detail)}`);
        return shown.onboardingState === 'ONBOARDED' ? shown : undefined;
      },
      { for: `package ${id} to be onboarded`, within, every: seconds(0.1) },
    );
  }

  /** Follows an operation until it comes to rest, telling each change of its steps. */
  async follow(
    opOccPath: string,
    within: Duration,
    onSteps: (steps: readonly StepView[]) => void,
    signal?: AbortSignal,
  ): Promise<JsonObject> {
    const id = opOccPath.split('/').at(-1) ?? '';
    return waitUntil(
      async (seen) => {
        try {
          const opOcc = await this.get(opOccPath);
          onSteps(await this.get<StepView[]>(`/windlass/v1/operations/${id}/steps`));
          seen(text(opOcc.operationState));
          return RESTS.includes(text(opOcc.operationState)) ? opOcc : undefined;
        } catch (error) {
          if (!(error instanceof TransientError)) throw error;
          seen(error.message);
          return undefined;
        }
      },
      { for: `operation ${id} to come to rest`, within, every: seconds(0.3), ...(signal === undefined ? {} : { signal }) },
    );
  }

  async #checked<T>(request: Promise<AxiosResponse<T>>, expected: readonly number[]): Promise<AxiosResponse<T>> {
    let answer: AxiosResponse<T>;
    try {
      answer = await request;
    } catch (error) {
      // axios' own error carries the request's headers, and with them the token.
      const code = axios.isAxiosError(error) ? error.code : undefined;
      throw new TransientError('api.unreachable', `the API does not answer${code === undefined ? '' : ` (${code})`}`);
    }
    const warning: unknown = answer.headers['windlass-warning'];
    if (typeof warning === 'string') this.warn(warning);
    if (expected.includes(answer.status)) return answer;
    const problem = answer.data as
      { detail?: string; TackerError?: { message?: string }; invalidParams?: { path: string; reason: string }[] } | undefined;
    const detail = problem?.detail ?? problem?.TackerError?.message ?? `status ${answer.status}`;
    const places = (problem?.invalidParams ?? []).slice(1).map(({ path, reason }) => `\n  ${path}: ${reason}`);
    if (answer.status >= 500) throw new TransientError('api.failed', detail, { status: answer.status });
    throw new RequestError(400, 'api.refused', `${detail}${places.join('')}`);
  }
}

/** A refusal is a short JSON text, also where bytes were asked for. */
async function withProblem(answer: AxiosResponse<Readable>): Promise<AxiosResponse<Readable>> {
  if (answer.status === 200) return answer;
  const said = await streamText(answer.data);
  return { ...answer, data: JSON.parse(said) as Readable };
}
