import { isJsonObject, TerminalError, type Json, type JsonObject } from '@windlass/foundation';
import { GrantBody, validateBody } from '@windlass/sol003';
import { schemaErrors } from '@windlass/sol003/schemas';

/** How many characters of an NFVO's answer an operation's error repeats. */
const MAX_SAID = 1_000;

/** The error of an answer that is not a grant. */
export const badAnswer = (reason: string): TerminalError =>
  new TerminalError('grant.bad-answer', `the NFVO's answer is no grant: ${reason}`.slice(0, MAX_SAID), {
    status: 502,
    title: 'Grant failed',
  });

/**
 * The Grant in an answer's body (SOL003 9.5.2.3), held against ETSI's schema and the bounds of everything from outside, as JSON text.
 * @throws TerminalError `grant.bad-answer`
 */
export function grantIn(text: string): string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw badAnswer('it is not JSON');
  }
  if (!isJsonObject(body)) throw badAnswer('it is no JSON object');
  const grant = withBothNames(body);
  const [first] = schemaErrors('Grant', grant);
  if (first !== undefined) throw badAnswer(first);
  try {
    return JSON.stringify(validateBody(GrantBody, grant));
  } catch (error) {
    throw badAnswer(error instanceof Error ? error.message : String(error));
  }
}

/** ETSI's schema says `virtualLinkDescId` where its table and the LCM interface say `vnfVirtualLinkDescId`: either is taken. */
function withBothNames(grant: JsonObject): JsonObject {
  const { extManagedVirtualLinks: links } = grant;
  if (!Array.isArray(links)) return grant;
  const named = (link: Json): Json => {
    if (!isJsonObject(link)) return link;
    const id = link.virtualLinkDescId ?? link.vnfVirtualLinkDescId;
    return id === undefined ? link : { virtualLinkDescId: id, vnfVirtualLinkDescId: id, ...link };
  };
  return { ...grant, extManagedVirtualLinks: links.map(named) };
}

/**
 * The refusal of a grant, with what the NFVO says of it (its ProblemDetails, RFC 7807).
 * @param status 400 to 499
 */
export function refusal(status: number, text: string): TerminalError {
  const said = saidIn(text);
  return new TerminalError('grant.refused', `the NFVO refused the grant with ${status}${said === '' ? '' : `: ${said}`}`, {
    status,
    title: 'Grant failed',
  });
}

/** What a ProblemDetails says, in one line; nothing of what is none. */
export function saidIn(text: string): string {
  let problem: unknown;
  try {
    problem = JSON.parse(text);
  } catch {
    return '';
  }
  if (!isJsonObject(problem)) return '';
  const texts = [problem.title, problem.detail].filter((each): each is string => typeof each === 'string' && each !== '');
  return texts.join(': ').replace(/\s+/g, ' ').slice(0, MAX_SAID);
}
