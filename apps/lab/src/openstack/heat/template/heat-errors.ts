import { HttpFailure } from '../../http/answer.js';

const TITLES: Record<number, [title: string, explanation: string]> = {
  400: ['Bad Request', 'The server could not comply with the request since it is either malformed or otherwise incorrect.'],
  403: ['Forbidden', 'Access was denied to this resource.'],
  404: ['Not Found', 'The resource could not be found.'],
  405: [
    'Method Not Allowed',
    'The server could not comply with the request since it is either malformed or otherwise incorrect.',
  ],
  409: ['Conflict', 'There was a conflict when trying to complete your request.'],
  429: ['Too Many Requests', 'The client has sent too many requests.'],
  500: ['Internal Server Error', 'The server has either erred or is incapable of performing the requested operation.'],
  503: ['Service Unavailable', 'The server is currently unavailable. Please try again at a later time.'],
};

/** Heat's refusal; `type` is the name of the exception inside Heat. Some of them tell no message. */
export function heatError(status: number, type: string, message?: string): HttpFailure {
  const [title, explanation] = TITLES[status] ?? ['Error', ''];
  const said = message === undefined ? {} : { message };
  return new HttpFailure(
    status,
    message ?? type,
    { code: status, title, explanation, error: { type, traceback: null, ...said } },
    {},
    type,
  );
}

export const badRequest = (message: string): HttpFailure => heatError(400, 'HTTPBadRequest', message);

/** A template that Heat does not take. */
export const invalidTemplate = (message: string): HttpFailure => heatError(400, 'StackValidationFailed', message);

/** A property that is not as its type says: `Property error: : resources.r.properties.flavor: : <problem>`. */
export const propertyError = (path: string, problem: string): HttpFailure =>
  invalidTemplate(`Property error: : ${path}: : ${problem}`);

export const stackNotFound = (name: string): HttpFailure =>
  heatError(404, 'EntityNotFound', `The Stack (${name}) could not be found.`);

export const resourceNotFound = (resource: string, stack: string): HttpFailure =>
  heatError(404, 'ResourceNotFound', `The Resource (${resource}) could not be found in Stack ${stack}.`);

/** What went wrong with a resource, in the parts of which Heat composes its reasons. */
export class ResourceFailure extends Error {
  constructor(
    readonly error: string,
    readonly path: string[],
    readonly problem: string,
  ) {
    super(`${error === '' ? '' : `${error}: `}${path.length === 0 ? '' : `${joined(path)}: `}${problem}`);
    this.name = 'ResourceFailure';
  }
}

function joined(path: string[]): string {
  return path.reduce((text, part) => {
    if (/^\d+$/.test(part)) return `${text}[${part}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
}

/** The failure of a resource for what one of the clouds' services said. */
export function failureOf(error: unknown, resource: string): ResourceFailure {
  if (error instanceof ResourceFailure) return error;
  const name = error instanceof HttpFailure ? error.clientError : 'ResourceInError';
  return new ResourceFailure(name, ['resources', resource], error instanceof Error ? error.message : String(error));
}

/**
 * The failure of a resource that is a stack, from that stack's reason. Heat takes the reason apart at its colons where it
 * speaks of the same action, which gives texts such as `resources.m: resources.VDU1.Resource CREATE failed: ...`.
 */
export function nestedFailure(reason: string, resource: string, action: string): ResourceFailure {
  const path = ['resources', resource];
  if (!reason.includes(`Resource ${action} failed: `)) return new ResourceFailure('', path, reason);
  const parts = reason.split(':').map((part) => part.trim());
  if (parts.length < 4) return new ResourceFailure('', path, reason);
  return new ResourceFailure(parts[1] ?? '', [...path, ...(parts[2] ?? '').split('.')], parts.slice(3).join(': '));
}
