import {
  TerminalError,
  TransientError,
  isJsonObject,
  maskSecrets,
  seconds,
  type Duration,
  type Json,
  type Secret,
} from '@windlass/foundation';
import type { HttpAnswer } from './http-client.js';
import { describeAsked, type Asked } from './network-errors.js';

/** Longest part of a service's own words that goes into a message. */
const MAX_REASON = 1_000;

/** Statuses below 500 and what they are called; any other is `openstack.refused`. */
const CODES: Record<number, string> = {
  400: 'openstack.bad-request',
  401: 'openstack.unauthorized',
  403: 'openstack.forbidden',
  404: 'openstack.not-found',
  409: 'openstack.conflict',
  413: 'openstack.too-large',
};

/** Heat says which of its exceptions it was; these two mean something to a caller. */
const HEAT_TYPES: Record<string, string> = {
  StackExists: 'heat.stack-exists',
  StackValidationFailed: 'heat.template-invalid',
};

/**
 * The error of an answer whose status is not one of those expected.
 * - 429, 500, 502, 503, 504: TransientError `openstack.busy` or `openstack.server-error`, with Retry-After where it was given.
 * - Heat's ActionInProgress (409): TransientError `heat.action-in-progress`.
 * - 401, 403, 404, 409, 400 and others: TerminalError `openstack.unauthorized`, `.forbidden`, `.not-found`, `.conflict`,
 *   `.bad-request`, `heat.stack-exists`, `heat.template-invalid`, `openstack.refused`.
 */
export function serviceError(service: string, asked: Asked, answer: HttpAnswer): TransientError | TerminalError {
  const hidden = spellings(asked.secrets);
  const { reason, type } = saidBy(service, answer);
  // Masked before it is cut: half a token is still too much.
  const words = reason === undefined ? STRANGE : `: ${maskSecrets(reason, hidden).slice(0, MAX_REASON)}`;
  const detail = `${service} answered ${answer.status} to ${describeAsked(asked)}${words}`;
  if (type === 'ActionInProgress') return new TransientError('heat.action-in-progress', detail);
  if (answer.status === 429) return new TransientError('openstack.busy', detail, retryAfter(answer));
  if ([500, 502, 503, 504].includes(answer.status)) {
    return new TransientError('openstack.server-error', detail, retryAfter(answer));
  }
  const code = (type === undefined ? undefined : HEAT_TYPES[type]) ?? CODES[answer.status] ?? 'openstack.refused';
  return new TerminalError(code, detail, { title: `The VIM refused (${answer.status})` });
}

function retryAfter(answer: HttpAnswer): { retryAfter?: Duration } {
  const text = answer.headers['retry-after'];
  if (text === undefined) return {};
  if (/^\d{1,6}$/.test(text)) return { retryAfter: seconds(Number(text)) };
  const at = Date.parse(text);
  const from = Date.parse(answer.headers.date ?? '');
  if (Number.isNaN(at)) return {};
  // Against the server's own clock where it gives one: ours may differ.
  const left = (at - (Number.isNaN(from) ? Date.now() : from)) / 1_000;
  return { retryAfter: seconds(Math.max(0, Math.round(left))) };
}

/** Secrets as they are, and as they look inside JSON, in case the service repeats our request. */
function spellings(secrets: readonly Secret[]): string[] {
  return secrets.map((secret) => secret.reveal()).flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
}

/** Of a body that no OpenStack service writes nothing is told: whoever names a VIM could read any page that we can reach. */
const STRANGE = ', in no shape of an OpenStack error; is that URL the service’s?';

/** The words of an error body. Heat, Keystone, Nova, Neutron, Cinder and Glance each have their own shape; a traceback is never taken. */
function saidBy(service: string, { status, text }: HttpAnswer): { reason?: string; type?: string } {
  const body = parsed(text);
  if (!isJsonObject(body)) return {};
  const error = service === 'Keystone' ? body.error : Object.values(body).find(isJsonObject);
  if (isJsonObject(error) && isText(error.message)) {
    const { message, type, code } = error;
    // Keystone, Nova and Cinder give the status again, Heat beside the error, Neutron by its name.
    if (code === status) return { reason: message };
    const known = service !== 'Keystone' && (body.code === status || error === body.NeutronError);
    return known ? { reason: message, ...(isText(type) ? { type } : {}) } : {};
  }
  if (service === 'Keystone') return {};
  // Glance, and what stands before a service of Python: webob's own.
  const { code, message, explanation, title } = body;
  const reason = [message, explanation, title].find(isText);
  const repeats = isText(code) && isText(title) ? code === `${status} ${title}` : code === status && isText(explanation);
  return repeats && reason !== undefined ? { reason } : {};
}

const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== '';

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
