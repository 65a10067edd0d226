import axios, { type AxiosInstance, type AxiosResponse } from 'axios';
import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';

/** What came of a request: an answer, or nothing that tells whether it was carried out. */
export type Outcome =
  { kind: 'answered'; status: number; body: JsonObject; location: string | undefined } | { kind: 'lost'; why: string };

/** A pause of the API's process is shorter than this, or a request that was given up would be carried out behind our back. */
const ANSWER_WITHIN = seconds(30);

/** The REST API as a careful client uses it: what was answered is known, what was not is looked up. */
export class ChaosClient {
  readonly #http: AxiosInstance;

  constructor(
    baseUrl: string,
    token: string,
    /** Ends every wait when the run is given up. */
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

  /** Asks for something once. A 5xx may have been carried out: it counts as lost. */
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

  /** Reads until there is an answer. */
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

  /** All entries of a list, whatever pages it comes in. */
  list(path: string): Promise<JsonObject[]> {
    return this.get<JsonObject[]>(`${path}${path.includes('?') ? '&' : '?'}all_records=yes`);
  }
}

const locationOf = (answer: AxiosResponse): string | undefined => {
  const location: unknown = answer.headers.location;
  return typeof location === 'string' ? new URL(location, 'http://here').pathname : undefined;
};
