import { randomUUID } from 'node:crypto';
import { ContextVariable, InvariantError, type ProblemDetails } from '@windlass/foundation';
import type { MessagingLog, TrailedRequest } from '@windlass/messaging';
import { inTransaction, type PgAuditTrail, type RequestEntry } from '@windlass/persistence';
import type { NextFunction, Request, Response } from 'express';
import type { DataSource, EntityManager } from 'typeorm';
import type { ClientAddresses } from '../caller/client-address.js';
import type { IdentifiedRequest } from '../caller/identity.js';
import { takesReadingRoute } from '../routes/routes.js';
import { subjectOf, subjectAt, type Subject } from './subject.js';
import { UnauthenticatedQuota } from './unauthenticated-quota.js';

/** Requests that change nothing are not in the trail. */
const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/** nginx's status for it; HTTP has none. */
const CLIENT_GONE = 499;

/** Longer paths are no resources of ours, and are cut. */
const MAX_PATH_LENGTH = 500;

/** A request on its way through the service. */
interface RequestInProgress {
  readonly request: IdentifiedRequest;
  readonly response: Response;
  readonly requestId: string;
  /** The client's address, behind trusted proxies. It is taken at once, because a request that is broken off has no socket any more. */
  readonly remoteAddress: string | null;
  /** The status in the entry that the change's own transaction wrote, if one was written. */
  notedStatus: number | undefined;
  recorded: boolean;
  /** What the entry tells beside what was asked and answered. */
  detail: Record<string, string> | null;
}

const requestsInProgress = new WeakMap<Request, RequestInProgress>();

/** The id under which a request is logged, answered and kept in the trail. */
export const requestIdOf = (request: Request): string | undefined => requestsInProgress.get(request)?.requestId;

/** Where the request comes from, as the trail tells it. */
export const remoteAddressOf = (request: Request): string | null => requestsInProgress.get(request)?.remoteAddress ?? null;

/**
 * Writes the audit trail of requests: in the transaction of the change where there is one (`note`), else before the answer goes out.
 * What was refused is written too. Never a body, never a query.
 */
export class RequestTrail {
  readonly #current = new ContextVariable<RequestInProgress>('request');
  readonly #unauthenticated = new UnauthenticatedQuota();

  constructor(
    private readonly trail: PgAuditTrail,
    private readonly database: DataSource,
    private readonly clients: ClientAddresses,
    private readonly log: MessagingLog,
  ) {}

  /** The first middleware: gives the request its id, and holds back the answer to a changing request until the trail has its entry. */
  readonly open = (request: Request, response: Response, next: NextFunction): void => {
    const passage: RequestInProgress = {
      request,
      response,
      requestId: randomUUID(),
      remoteAddress: this.clients.of(request),
      notedStatus: undefined,
      recorded: false,
      detail: null,
    };
    requestsInProgress.set(request, passage);
    response.set('X-Request-Id', passage.requestId);
    if (!READING.has(request.method)) this.#holdAnswer(passage);
    next();
  };

  /** Stands behind the body parser, whose events may run outside the request's context, and lets everything after it know its request. */
  readonly enter = (request: Request, _response: Response, next: NextFunction): void => {
    const passage = requestsInProgress.get(request);
    if (passage === undefined || READING.has(request.method) || takesReadingRoute(request)) next();
    else this.#current.run(passage, next);
  };

  /**
   * Writes the entry of the present request in the transaction that makes its change, with the status that its handler answers with
   * (`@HttpCode`). Outside of a request, and where it is written already, it does nothing.
   * @param write writes it with something else of the change, in the same transaction
   * @returns whether it was written now
   */
  async note(
    manager: EntityManager,
    subject: Partial<Subject> = {},
    write = (entry: RequestEntry): Promise<void> => this.trail.add(entry, manager),
  ): Promise<boolean> {
    const passage = this.#current.value;
    if (passage === undefined || passage.notedStatus !== undefined) return false;
    const status = passage.response.statusCode;
    await write({ ...entryOf(passage, status), ...subject });
    passage.notedStatus = status;
    return true;
  }

  /** Writes that the present request is refused, in the transaction that keeps the refusal on the record. */
  async noteRefusal(manager: EntityManager, { status, code }: ProblemDetails): Promise<void> {
    const passage = this.#current.value;
    if (passage === undefined || passage.notedStatus !== undefined || passage.recorded) return;
    const gone = passage.request.errored !== null;
    const told = gone ? CLIENT_GONE : status;
    await this.trail.add({ ...entryOf(passage, told), code: gone ? null : (code ?? null) }, manager);
    passage.notedStatus = told;
  }

  /** Adds details to the present request's entry: names, never a value of a body. Outside of a request it does nothing. */
  tell(detail: Record<string, string>): void {
    const passage = this.#current.value;
    if (passage !== undefined) passage.detail = detail;
  }

  /** Makes a change in a transaction, with the present request's entry. */
  async withChange<T>(change: (manager: EntityManager) => Promise<T>): Promise<T> {
    return inTransaction(this.database, async (manager) => {
      const changed = await change(manager);
      await this.note(manager);
      return changed;
    });
  }

  /** Has another service write the entry of the present request, in the transaction of the change that it makes. @throws InvariantError outside of a request */
  async noteElsewhere<T>(change: (request: TrailedRequest) => Promise<T>): Promise<T> {
    const passage = this.#current.value;
    if (passage === undefined) throw new InvariantError('there is no request whose entry another service could write');
    const { requestId, actor, roles, remoteAddress, method, resource, status } = entryOf(passage, passage.response.statusCode);
    const changed = await change({ requestId, actor, roles: [...roles], remoteAddress, method, resource, status });
    passage.notedStatus = status;
    return changed;
  }

  #holdAnswer(passage: RequestInProgress): void {
    const { response } = passage;
    const end = response.end.bind(response) as (...given: unknown[]) => Response;
    response.end = ((...given: unknown[]) => {
      response.end = end;
      void this.#record(passage, response.statusCode).then(() => end(...given));
      return response;
    }) as typeof response.end;
    response.once('close', () => void this.#record(passage, CLIENT_GONE));
  }

  /** Writes the entry. The answer goes out whatever happens here, because the change is made already. */
  async #record(passage: RequestInProgress, status: number): Promise<void> {
    if (passage.recorded) return;
    passage.recorded = true;
    // The transaction's entry is enough, unless the transaction was rolled back or the answer's status changed.
    if (passage.notedStatus === status || takesReadingRoute(passage.request)) return;
    const unrecorded = passage.request.identity === undefined ? this.#unauthenticated.take(passage.remoteAddress) : 0;
    if (unrecorded === undefined) return;
    const entry = entryOf(passage, status);
    try {
      await this.trail.add(unrecorded === 0 ? entry : { ...entry, detail: { unrecordedBefore: unrecorded } });
    } catch (error) {
      const { requestId, remoteAddress, method, resource } = entry;
      const reason = error instanceof Error ? error.message : String(error);
      this.log.error('a request could not be written to the audit trail', {
        requestId,
        remoteAddress,
        method,
        resource,
        status,
        error: reason,
      });
    }
  }
}

function entryOf({ request, response, requestId, remoteAddress, detail }: RequestInProgress, status: number): RequestEntry {
  const { identity, method } = request;
  const resource = (request.originalUrl.split('?', 1)[0] ?? '').slice(0, MAX_PATH_LENGTH);
  const code: unknown = response.locals.problemCode;
  const location = response.getHeader('Location');
  return {
    requestId,
    tenant: identity?.tenant ?? null,
    actor: identity?.user ?? null,
    roles: identity?.roles ?? [],
    remoteAddress,
    method,
    resource,
    status,
    code: status >= 400 && typeof code === 'string' ? code : null,
    detail,
    ...subjectOf(resource, typeof location === 'string' ? subjectAt(location) : {}),
  };
}
