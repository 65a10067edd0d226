import type { JsonObject } from '@windlass/foundation';
import {
  invalidBody,
  unusedMemberWarning,
  typeNameOf,
  unusedMembers,
  validateBody,
  type BodyClass,
  type body,
} from '@windlass/sol003';
import type { Request } from 'express';
import { jsonBody } from './answers.js';

/** The header in which an answer that is no error tells what a person should know of it. */
export const WARNING = 'Windlass-Warning';
/** Characters of the header: proxies take some 8,000 for all of them. */
const LONGEST = 2_000;

/**
 * A JSON body that follows a class. The answer's header {@link WARNING} names members without effect.
 * @throws RequestError 415 for another media type, 400 with the path of each member that is wrong, or that has no effect although the outcome depends
 *   on it
 */
export function readBody<T extends object>(bodyClass: BodyClass<T>, request: Request): body.Plain<T> {
  const read = validateBody(bodyClass, jsonBody(request));
  const warnings = unusedMemberWarnings(bodyClass, read as JsonObject);
  if (warnings.length > 0) request.res?.set(WARNING, headerOf(warnings.join('; ')));
  return read;
}

/**
 * Sentences about members of a body that have no effect. The body follows its class.
 * @throws RequestError 400 with the path of each member that has no effect although the outcome depends on it
 */
export function unusedMemberWarnings(bodyClass: BodyClass, given: JsonObject): string[] {
  const { ignored, refused } = unusedMembers(bodyClass, given);
  if (refused.length > 0) throw invalidBody(typeNameOf(bodyClass), refused);
  return ignored.map(unusedMemberWarning);
}

/** Names are the client's own: a header holds printable ASCII alone. */
function headerOf(text: string): string {
  const shown = text.replace(/[^\x20-\x7e]/gu, (letter) => `\\u{${letter.codePointAt(0)?.toString(16) ?? ''}}`);
  return shown.length <= LONGEST ? shown : `${shown.slice(0, LONGEST)}...`;
}
