import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Json, JsonObject } from '@windlass/foundation';
import type { Session } from '../state/session.js';

/** What a handler gives back. A string body is sent as it is; an object or null as JSON. */
export interface Answer {
  status: number;
  body?: Json | Buffer | Readable;
  /** For a string body; `text/html; charset=UTF-8` by default. Empty: none is named. */
  contentType?: string;
  headers?: Record<string, string>;
}

/** One request as a handler sees it. */
export interface Call {
  method: string;
  path: string;
  /** Path parameters by name, decoded. */
  params: Record<string, string>;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  /** The body as JSON. */
  json: Json | undefined;
  /** The body as it came; JSON bodies are read already. */
  raw: IncomingMessage;
  /** Scheme, host and port under which the emulator is reached. */
  base: string;
  /** Who asks; undefined where a route needs no token. */
  session: Session | undefined;
}

/** A refusal, with the body that the real service would send. Its message is what the service's Python client would say, for Heat shows that. */
export class HttpFailure extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly body: Json,
    readonly headers: Record<string, string> = {},
    /** The Python client's exception class, which begins Heat's reason: `BadRequest`. */
    readonly clientError = 'HTTPException',
  ) {
    super(message);
    this.name = 'HttpFailure';
  }
}

export const ok = (body: Json, headers: Record<string, string> = {}): Answer => ({ status: 200, body, headers });

/** The page that WebOb makes, which Heat, Nova, Glance and Cinder show where they have nothing better. */
export const webobPage = (status: string, text: string): string =>
  `<html>\n <head>\n  <title>${status}</title>\n </head>\n <body>\n  <h1>${status}</h1>\n  ${text}<br /><br />\n\n\n\n </body>\n</html>`;

/** The session of a route that needs a token. */
export function sessionOf(call: Call): Session {
  if (call.session === undefined) throw new Error(`${call.method} ${call.path} came without a session`);
  return call.session;
}

/** The member `name` of the body, when it is an object. */
export function bodyMember(call: Call, name: string): JsonObject | undefined {
  if (typeof call.json !== 'object' || call.json === null || Array.isArray(call.json)) return undefined;
  const member = call.json[name];
  return typeof member === 'object' && member !== null && !Array.isArray(member) ? member : undefined;
}
