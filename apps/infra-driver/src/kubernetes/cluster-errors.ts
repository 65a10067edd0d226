import { isJsonObject, TerminalError, TransientError, type JsonObject, type WindlassError } from '@windlass/foundation';
import { ADDRESS_REFUSED } from '@windlass/outbound';
import axios from 'axios';
import { listAt, textAt } from './objects.js';

/** Reasons of a Status that say "not now". */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);

/** A cluster's refusal of a request: its own words, and the fields that they concern. */
export class ClusterRefusal extends TerminalError {
  constructor(
    code: string,
    detail: string,
    readonly httpStatus: number,
    /** As Kubernetes writes them. Empty where it names none. */
    readonly fields: readonly { field: string; reason: string }[] = [],
  ) {
    super(code, detail);
  }
}

/** Translates the error of a request. Nothing of axios' error is passed on, for it carries the token. @param what what was asked, for the message */
export function translated(error: unknown, what: string): WindlassError | Error {
  if (!axios.isAxiosError(error)) return error instanceof Error ? error : new Error(String(error));
  const { response, code } = error;
  if (code === ADDRESS_REFUSED)
    return new TerminalError(
      'kubernetes.address-refused',
      `${what}: the cluster's API is not where this VNFM may connect to; its operator can allow the address (VIM_ALLOW)`,
    );
  if (response === undefined)
    return new TransientError(
      'kubernetes.unreachable',
      `the cluster's API does not answer (${code ?? 'no reason given'}): ${what}`,
    );
  const status = statusOf(response.data);
  const said = textAt(status, 'message') ?? 'no reason given';
  const reason = textAt(status, 'reason') ?? '';
  if (response.status === 401)
    return new ClusterRefusal(
      'kubernetes.unauthorized',
      `the cluster does not take the VIM's bearer token (${what}): give the VIM a new one`,
      401,
    );
  if (response.status === 403 && !isPassing(said))
    return new ClusterRefusal('kubernetes.forbidden', `the cluster refuses ${what}: ${said}`, 403);
  if (said.includes('failed to create typed patch object'))
    // A server-side apply with a field that the kind has not is answered with 500.
    return new ClusterRefusal('kubernetes.refused', `the cluster refuses ${what}: ${said}`, 400, undeclaredIn(said));
  if (PASSING.has(response.status) || isPassing(said))
    return new TransientError('kubernetes.not-now', `the cluster answers ${response.status} to ${what}: ${said}`);
  const code4xx =
    response.status === 409 ? 'kubernetes.conflict' : response.status === 404 ? 'kubernetes.unknown' : 'kubernetes.refused';
  return new ClusterRefusal(code4xx, `the cluster refuses ${what}: ${said}`, response.status, fieldsIn(status, said, reason));
}

/**
 * The Status object of an answer. Any other answer is not quoted: a user who names an arbitrary server as a VIM could read any page that we can
 * reach.
 */
const statusOf = (data: unknown): JsonObject => (isJsonObject(data) && data.kind === 'Status' ? data : {});

/** Whether a refusal will pass: a name that is being freed, or a namespace that ends, is free in a while. */
const isPassing = (said: string): boolean =>
  /object is being deleted|because it is being terminated|please apply your changes to the latest version/.test(said);

/** `Status.details.causes`; of a strict decoding the fields stand in the message alone. */
function fieldsIn(status: JsonObject, said: string, reason: string): { field: string; reason: string }[] {
  const causes = listAt(status, 'details', 'causes').flatMap((cause) => {
    const field = textAt(cause, 'field');
    return field === undefined ? [] : [{ field, reason: textAt(cause, 'message') ?? reason }];
  });
  if (causes.length > 0) return causes;
  return [...said.matchAll(/(unknown|duplicate) field "([^"]+)"/g)].map(([, kind = '', field = '']) => ({
    field,
    reason: `${kind} field`,
  }));
}

/** `.spec.replica: field not declared in schema`, as the merging of an apply says it. */
function undeclaredIn(said: string): { field: string; reason: string }[] {
  const reason = 'field not declared in schema';
  const before = said.split(`: ${reason}`).slice(0, -1);
  return before.flatMap((words) => {
    const [, ...field] = (words.split(/[^\w.[\]"=-]/).at(-1) ?? '').split('.');
    return field.length === 0 ? [] : [{ field: field.join('.'), reason }];
  });
}
