import { appendFileSync } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { answerErrors, isOfTheApi, pathOf } from './answer-errors.js';

const WATCHED = Symbol.for('windlass.watched-servers');

/**
 * Has every HTTP server of this process check its answers for the REST API's paths. Errors are written to a file, a line each,
 * before the client sees the end of the answer, which is unchanged. A second call in a process changes the file alone.
 * @param file the file, made at the first error, in a folder that stays as long as the process
 * @returns a function that ends the checks; only the first call's function does
 */
export function watchAnswers(file: string): () => void {
  const known = (http.Server.prototype as Watched)[WATCHED];
  if (known !== undefined) {
    known.file = file;
    return () => undefined;
  }
  const into = { file };
  (http.Server.prototype as Watched)[WATCHED] = into;
  for (const { prototype } of [http.Server, https.Server]) {
    // HTTP and HTTPS servers inherit `emit`.
    const { emit } = prototype;
    prototype.emit = function (this: http.Server & https.Server, event: string, ...rest: unknown[]): boolean {
      if (event === 'request') watch(rest[0] as IncomingMessage, rest[1] as ServerResponse, into);
      return Reflect.apply(emit, this, [event, ...rest]) as boolean;
    } as typeof prototype.emit;
  }
  return () => {
    for (const { prototype } of [http.Server, https.Server]) Reflect.deleteProperty(prototype, 'emit');
    Reflect.deleteProperty(http.Server.prototype, WATCHED);
  };
}

type Watched = { [WATCHED]?: { file: string } };

function watch(request: IncomingMessage, response: ServerResponse, into: { file: string }): void {
  const { method = '', url = '' } = request;
  if (!isOfTheApi(pathOf(url))) return;
  const parts: Buffer[] = [];
  const written: Record<string, unknown> = {};
  const headers = (): Record<string, unknown> => ({ ...response.getHeaders(), ...written });
  const keep = (chunk: unknown, encoding: unknown): void => {
    if (!isKept(headers())) return;
    if (typeof chunk === 'string') parts.push(Buffer.from(chunk, encoding === 'latin1' ? 'latin1' : 'utf8'));
    else if (chunk instanceof Uint8Array) parts.push(Buffer.from(chunk));
  };
  const { writeHead, write, end } = response;
  response.writeHead = function (...parameters: unknown[]): ServerResponse {
    const last = parameters.at(-1);
    for (const [name, value] of Object.entries(typeof last === 'object' && last !== null ? last : {}))
      written[name.toLowerCase()] = value;
    return Reflect.apply(writeHead, response, parameters) as ServerResponse;
  } as typeof writeHead;
  response.write = function (...parameters: unknown[]): boolean {
    keep(parameters[0], parameters[1]);
    return Reflect.apply(write, response, parameters) as boolean;
  } as typeof write;
  response.end = function (...parameters: unknown[]): ServerResponse {
    keep(parameters[0], parameters[1]);
    const body = Buffer.concat(parts).toString('utf8');
    for (const error of answerErrors({ method, url, status: response.statusCode, headers: headers(), body }))
      appendFileSync(into.file, `${method} ${url} -> ${response.statusCode}: ${error}\n`);
    return Reflect.apply(end, response, parameters) as ServerResponse;
  } as typeof end;
}

/** Whether a body is collected: files and event streams may be large, or never end. */
const isKept = ({ 'content-type': type }: Record<string, unknown>): boolean =>
  typeof type !== 'string' || /^application\/(problem\+)?json/.test(type);
