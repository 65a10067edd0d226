import {
  acceptanceTrace,
  boundToContext,
  childTrace,
  inTrace,
  isUuid,
  operationTrace,
  parseTraceparent,
  startTrace,
  tellObserver,
  wallTime,
  type EndedWork,
  type TraceContext,
} from '@windlass/foundation';
import type { NextFunction, Request, Response } from 'express';
import type { Routes } from '../routes/routes.js';

/** As OpenTelemetry's conventions have it: any other method is one word, whatever a client sends. */
const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const OTHER_METHOD = '_OTHER';
/** nginx's status for a client that did not wait; HTTP has none. */
const CLIENT_GONE = 499;

const spans = new WeakMap<Request, TraceContext>();

/**
 * The first middleware: tells the observer of each request when its answer is sent. Live views are left out: they last as long as somebody watches.
 */
export const openTelemetry =
  (routes: Routes) =>
  (request: Request, response: Response, next: NextFunction): void => {
    const caller = parseTraceparent(request.header('traceparent'));
    const span = caller === undefined ? { ...startTrace(), sampled: false } : childTrace({}, caller);
    const { method, path } = request;
    const startedAt = wallTime();
    spans.set(request, span);
    // The socket closes in a context of its own.
    const tell = boundToContext(() => {
      if (String(response.getHeader('content-type')).startsWith('text/event-stream')) return;
      const status = response.headersSent ? response.statusCode : CLIENT_GONE;
      const work = ended({ method, path, route: routes.find(method, path)?.pattern, status }, span, startedAt);
      tellObserver(work);
      const accepted = acceptedBy({ method, path, status, location: response.getHeader('location') });
      if (accepted !== undefined)
        tellObserver({ ...work, kind: 'acceptance', span: accepted, ...(caller === undefined ? {} : { links: [caller] }) });
    });
    response.once('close', tell);
    next();
  };

/** Stands behind the body parser, whose events may run outside the request's context, and lets everything after it run in the request's span. */
export const enterTelemetry = (request: Request, _response: Response, next: NextFunction): void => {
  const span = spans.get(request);
  if (span === undefined) next();
  else inTrace(span, next);
};

interface Answered {
  method: string;
  path: string;
  status: number;
}

function ended(
  { method, route = '', status }: Answered & { route: string | undefined },
  span: TraceContext,
  startedAt: number,
): EndedWork {
  const told = KNOWN_METHODS.has(method) ? method : OTHER_METHOD;
  return {
    kind: 'request',
    name: route === '' ? told : `${told} ${route}`,
    // Nothing is recorded of a client without an identity.
    span: status === 401 ? { ...span, sampled: false } : span,
    startedAt,
    endedAt: wallTime(),
    outcome: String(status),
    failed: status >= 500,
    attributes: {
      'http.request.method': told,
      ...(route === '' ? {} : { 'http.route': route }),
      'http.response.status_code': status,
    },
  };
}

/** The trace of the operation that a request began, or that it decided about. */
function acceptedBy({ method, path, status, location }: Answered & { location: unknown }): TraceContext | undefined {
  if (status !== 202 && status !== 200) return undefined;
  const occurrence = /\/vnf_lcm_op_occs\/([^/]+)$/.exec(typeof location === 'string' ? location : '')?.[1];
  if (status === 202 && isUuid(occurrence)) return acceptanceTrace(occurrence);
  const decided = method === 'POST' ? /\/vnf_lcm_op_occs\/([^/]+)\/[a-z]+$/.exec(path)?.[1] : undefined;
  return isUuid(decided) ? childTrace({}, operationTrace(decided)) : undefined;
}
