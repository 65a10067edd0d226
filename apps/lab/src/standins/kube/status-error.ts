import type { JsonObject } from '@windlass/foundation';

interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: { reason: string; message: string; field?: string }[];
  retryAfterSeconds?: number;
}

/** Where a resource is named in a message: `nodes`, `deployments.apps`. */
export interface GroupResource {
  group: string;
  plural: string;
}

const qualified = ({ group, plural }: GroupResource): string => (group === '' ? plural : `${plural}.${group}`);

/** A failure that the API answers with, as `kind: Status`: reason and message are those that the real API server gives. */
export class StatusError extends Error {
  constructor(
    readonly code: number,
    readonly reason: string,
    message: string,
    readonly details: StatusDetails = {},
  ) {
    super(message);
    this.name = 'StatusError';
  }

  static badRequest(message: string): StatusError {
    return new StatusError(400, 'BadRequest', message);
  }

  static unauthorized(): StatusError {
    return new StatusError(401, 'Unauthorized', 'Unauthorized');
  }

  static forbidden(resource: GroupResource, name: string, why: string): StatusError {
    const what = name === '' ? qualified(resource) : `${qualified(resource)} "${name}"`;
    return new StatusError(403, 'Forbidden', `${what} is forbidden: ${why}`, {
      name,
      group: resource.group,
      kind: resource.plural,
    });
  }

  static notFound(resource: GroupResource, name: string): StatusError {
    return new StatusError(404, 'NotFound', `${qualified(resource)} "${name}" not found`, {
      name,
      group: resource.group,
      kind: resource.plural,
    });
  }

  /** No such path: what the real server says when nobody serves it. */
  static noSuchPath(): StatusError {
    return new StatusError(404, 'NotFound', 'the server could not find the requested resource');
  }

  static alreadyExists(resource: GroupResource, name: string): StatusError {
    return new StatusError(409, 'AlreadyExists', `${qualified(resource)} "${name}" already exists`, {
      name,
      group: resource.group,
      kind: resource.plural,
    });
  }

  static conflict(
    resource: GroupResource,
    name: string,
    why = 'the object has been modified; please apply your changes to the latest version and try again',
  ): StatusError {
    return new StatusError(409, 'Conflict', `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`, {
      name,
      group: resource.group,
      kind: resource.plural,
    });
  }

  /** The object breaks rules of its kind: one cause a field. */
  static invalid(kind: string, group: string, name: string, causes: { field: string; message: string }[]): StatusError {
    const list = causes.map(({ field, message }) => `${field}: ${message}`);
    const text = list.length === 1 ? (list[0] ?? '') : `[${list.join(', ')}]`;
    return new StatusError(422, 'Invalid', `${kind} "${name}" is invalid: ${text}`, {
      name,
      group,
      kind,
      causes: causes.map(({ field, message }) => ({ reason: 'FieldValueInvalid', message, field })),
    });
  }

  static gone(message: string): StatusError {
    return new StatusError(410, 'Expired', message);
  }

  static methodNotAllowed(): StatusError {
    return new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');
  }

  static unsupportedMedia(message: string): StatusError {
    return new StatusError(415, 'UnsupportedMediaType', message);
  }

  /** An eviction that a disruption budget forbids now. It names no time to try again: kubectl would wait for that itself. */
  static disruption(cause: string): StatusError {
    return new StatusError(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
      causes: [{ reason: 'DisruptionBudget', message: cause }],
    });
  }

  static unavailable(message: string): StatusError {
    return new StatusError(503, 'ServiceUnavailable', message, { retryAfterSeconds: 1 });
  }

  /** The wire form. */
  toStatus(): JsonObject {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      reason: this.reason,
      details: JSON.parse(JSON.stringify(this.details)) as JsonObject,
      code: this.code,
    };
  }

  /** The error that a client saw as an answer; undefined if the body is no Status. */
  static fromStatus(code: number, body: unknown): StatusError | undefined {
    if (typeof body !== 'object' || body === null || !('kind' in body) || body.kind !== 'Status') return undefined;
    const { reason, message, details } = body as { reason?: string; message?: string; details?: StatusDetails };
    return new StatusError(code, reason ?? 'Unknown', message ?? '', details ?? {});
  }
}

/** Whether the API answered that there is no such object. */
export const isNotFound = (error: unknown): boolean => error instanceof StatusError && error.code === 404;
/** Whether the API answered that the object changed meanwhile, or is there already. */
export const isConflict = (error: unknown): boolean => error instanceof StatusError && error.code === 409;
