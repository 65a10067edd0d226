import { sendFile, type OnSent } from './upload.js';
import type { Answers } from '../../dist/openapi.js';

/** Where the API is, as the page was told: the path of the public URL, empty for the root. */
export const ROOT = typeof document === 'undefined' ? '' : (document.documentElement.dataset.root ?? '');

/** An answer that is an error, in the words of its ProblemDetails. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    /** Milliseconds that the server asks to wait. */
    readonly retryAfter?: number,
  ) {
    super(detail);
  }
}

/** Nobody answered. */
export class Unreachable extends Error {}

/** A page of a list. `next` is the path of the following one. */
export interface Page<T> {
  items: T[];
  next: string | undefined;
  /** Since when the journal of an operation is gone. */
  purged: string | null;
}

/** Headers that say who asks. They are in this tab's memory and nowhere else (ADR 97). */
export type CredentialHeaders = Readonly<Record<string, string>>;

type Parameters = Readonly<Record<string, string>>;

/** What of a request is not the same for all. */
export interface Sent {
  headers?: CredentialHeaders;
  body?: string;
  signal?: AbortSignal;
}

/** The REST API, asked as whoever signed in. */
export class ApiClient {
  constructor(
    private readonly credentials: CredentialHeaders,
    /** Told when the credentials are not good any more. */
    private readonly ended: () => void,
  ) {}

  /** What a GET of the OpenAPI document answers. @throws Refused, Unreachable */
  async get<P extends keyof Answers>(path: P, parameters: Parameters = {}, query: Parameters = {}): Promise<Answers[P]> {
    return (await (await this.send('GET', pathOf(path, parameters, query))).json()) as Answers[P];
  }

  /** The first page of a list, or the one that `next` of a page named. */
  async page<T>(path: string): Promise<Page<T>> {
    const answer = await this.send('GET', path);
    const items = (await answer.json()) as T[];
    return { items, next: nextOf(answer.headers.get('Link')), purged: answer.headers.get('Windlass-Journal-Purged') };
  }

  /** A list to its end, or so far. */
  async all<T>(path: string, atMost: number): Promise<T[]> {
    const items: T[] = [];
    for (let next: string | undefined = path; next !== undefined && items.length < atMost;) {
      const page: Page<T> = await this.page<T>(next);
      items.push(...page.items);
      next = page.next;
    }
    return items;
  }

  async post(path: string, body: unknown): Promise<Response> {
    return this.send('POST', path, { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  }

  /** Sends a file to a path. @throws Refused, Unreachable, and what the signal was aborted with */
  async upload(path: string, file: Blob, onSent: OnSent, signal: AbortSignal): Promise<void> {
    const { status, text } = await sendFile(ROOT + path, this.credentials, file, onSent, signal).catch((error: unknown) => {
      throw signal.aborted ? error : new Unreachable(messageOf(error));
    });
    if (status >= 200 && status < 300) return;
    if (status === 401) this.ended();
    throw await refusalIn(new Response(text, { status }));
  }

  /** @param path from the root of the API on, with its query */
  async send(method: string, path: string, init: Sent = {}): Promise<Response> {
    // `omit`: no cookie and no login that the browser keeps goes along, and a 401 opens no window of the browser's own.
    const own: RequestInit = { ...init, method, credentials: 'omit', cache: 'no-store', redirect: 'error' };
    let answer: Response;
    try {
      answer = await fetch(ROOT + path, { ...own, headers: { ...init.headers, ...this.credentials } });
    } catch (error) {
      if (init.signal?.aborted === true) throw error;
      throw new Unreachable('the API does not answer');
    }
    if (answer.ok) return answer;
    if (answer.status === 401) this.ended();
    throw await refusalIn(answer);
  }
}

/** A path of the OpenAPI document with its parameters, each of which stays one segment. */
export function pathOf(path: string, parameters: Parameters = {}, query: Parameters = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(parameters[name] ?? ''));
  const asked = new URLSearchParams(query).toString();
  return asked === '' ? filled : `${filled}?${asked}`;
}

/** The path of the page that follows, without what the public URL puts before it. */
export function nextOf(link: string | null, root = ROOT): string | undefined {
  const [, url] = /^<([^<>]*)>; ?rel="?next"?/.exec(link ?? '') ?? [];
  if (url === undefined) return undefined;
  const { pathname, search } = new URL(url, 'http://page.invalid');
  return (pathname.startsWith(root) ? pathname.slice(root.length) : pathname) + search;
}

/** The path of a link of the API's, from its root on. */
export const pathOfLink = (href: string, root = ROOT): string => {
  const { pathname } = new URL(href, 'http://page.invalid');
  return root !== '' && pathname.startsWith(`${root}/`) ? pathname.slice(root.length) : pathname;
};

async function refusalIn(answer: Response): Promise<Refused> {
  const problem = await answer.json().then(
    (body: unknown) => (typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}),
    () => ({}) as Record<string, unknown>,
  );
  const text = (name: string, otherwise: string): string => (typeof problem[name] === 'string' ? problem[name] : otherwise);
  const seconds = Number(answer.headers.get('Retry-After') ?? Number.NaN);
  return new Refused(
    answer.status,
    text('code', 'api.refused'),
    text('detail', text('title', `the API answers ${answer.status}`)),
    Number.isFinite(seconds) ? seconds * 1_000 : undefined,
  );
}

/** What a person reads of an error. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
