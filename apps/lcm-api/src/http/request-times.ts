import { describeDuration, minutes, RequestError, seconds, type Duration } from '@windlass/foundation';
import type { NextFunction, Request, Response } from 'express';
import type { Server } from 'node:http';
import { answerProblem, type ErrorLog } from './problem.filter.js';

/** How long a client may take for what. */
export interface RequestTimes {
  /** An idle connection is kept. Longer than proxies keep theirs (60 s is usual): else they send a request into one that is being closed here. */
  keepAlive: Duration;
  /** How long a body may take, other than a package's. */
  body: Duration;
  /** How long a package's upload may be silent. It may take any time in all. */
  silence: Duration;
}

export const defaultRequestTimes: RequestTimes = { keepAlive: seconds(75), body: minutes(1), silence: minutes(2) };

/** Sets the server's own times: Node would end every request after five minutes, an upload in its middle too. Headers have Node's minute. */
export function setServerTimes(server: Server, { keepAlive }: RequestTimes): void {
  server.keepAliveTimeout = keepAlive;
  server.requestTimeout = 0;
}

/** Ends requests whose body comes too slowly: a small body with 408, and the upload of a package when it has been silent too long. */
export const requestTimes =
  ({ body, silence }: RequestTimes, log: ErrorLog) =>
  (request: Request, response: Response, next: NextFunction): void => {
    if (isUpload(request)) endWhenSilent(request, silence);
    else if (hasBody(request)) {
      const late = setTimeout(() => {
        if (request.complete) return;
        if (response.headersSent) {
          request.destroy(); // it was answered before it had said all
          return;
        }
        response.set('Connection', 'close').once('finish', () => request.destroy());
        answerProblem(tooSlow(`the body was not whole in ${describeDuration(body)}`), request, response, log);
      }, body);
      const done = (): void => clearTimeout(late);
      request.once('end', done).once('close', done);
    }
    next();
  };

function endWhenSilent(request: Request, silence: Duration): void {
  const end = (): void =>
    void request.destroy(tooSlow(`nothing of the package came for ${describeDuration(silence)}: upload it again`));
  request.socket.setTimeout(silence, end);
  // The connection may carry other requests after this one.
  request.once('close', () => {
    request.socket.setTimeout(0);
    request.socket.off('timeout', end);
  });
}

const tooSlow = (detail: string): RequestError => new RequestError(408, 'request.too-slow', detail);

const isUpload = ({ method, path }: Request): boolean => method === 'PUT' && path.endsWith('/package_content');

const hasBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
