import axios, { type AxiosInstance, type AxiosResponse } from 'axios';
import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';

/** The outcome of a request: an answer, or `lost` where the client cannot know whether the request was carried out. */
export type Outcome =
  { kind: 'answered'; status: number; body: JsonObject; location: string | undefined } | { kind: 'lost'; why: string };

/** The limit for an answer, longer than a pause of the API's process: otherwise an abandoned request would be carried out later. */
const ANSWER_WITHIN = seconds(30);

/** A careful client of the REST API, which looks up the effect of each request without an answer. */
export class ChaosClient {
  readonly #http: AxiosInstance;

  constructor(
    baseUrl: string,
    token: string,
    /** Aborts every wait when the run is given up. */
    private readonly signal: AbortSignal,
  ) {
    this.#http = axios.create({
      baseURL: baseUrl,
      headers: { 'X-Auth-Token': token },
      validateStatus: () => true,
      proxy: false,
      timeout: ANSWER_WITHIN,
      maxRedirects: 0,
    });
  }

  /** Sends a request once. A 5xx counts as lost: the request may have been carried out. */
  async ask(method: 'POST' | 'PATCH' | 'DELETE', path: string, body: JsonObject = {}): Promise<Outcome> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    try {
      const answer = await this.#http.request<JsonObject>({ method, url: path, data: body, headers: { 'Content-Type': type } });
      if (answer.status >= 500) return { kind: 'lost', why: `status ${answer.status}: ${JSON.stringify(answer.data)}` };
      return { kind: 'answered', status: answer.status, body: answer.data, location: locationOf(answer) };
    } catch (error) {
      if (!axios.isAxiosError(error)) throw error;
      return { kind: 'lost', why: error.code ?? error.message };
    }
  }

  /** Reads again until there is an answer. */
  get<T = JsonObject>(path: string): Promise<T> {
    return waitUntil(
      async (seen) => {
        try {
          const answer = await this.#http.get<T>(path);
          if (answer.status === 200) return answer.data;
          if (answer.status < 500) throw new Error(`GET ${path}: ${answer.status} ${JSON.stringify(answer.data)}`);
          seen(String(answer.status));
        } catch (error) {
          if (!axios.isAxiosError(error)) throw error;
          seen(error.code ?? error.message);
        }
        return undefined;
      },
      { for: `GET ${path}`, within: seconds(300), every: millis(200), growth: 1.5, atMost: seconds(2), signal: this.signal },
    );
  }

  /** All entries of a list, of all pages. */
  list(path: string): Promise<JsonObject[]> {
    return this.get<JsonObject[]>(`${path}${path.includes('?') ? '&' : '?'}all_records=yes`);
  }
}

const locationOf = (answer: AxiosResponse): string | undefined => {
  const location: unknown = answer.headers.location;
  return typeof location === 'string' ? new URL(location, 'http://here').pathname : undefined;
};
