import { isDeepStrictEqual } from 'node:util';
import { RequestError } from './errors.js';
import { atPointer, isJsonObject, pointerToken, type Json, type JsonObject } from './json.js';
import { MASK } from './secret.js';

/** A change of something that holds secrets and says where they go. */
export interface ChangeOfSecrets {
  /** What is kept, secrets and all. */
  before: JsonObject;
  /** The same as its client is shown it: what is otherwise here is secret. */
  shown: JsonObject;
  /** What the client has sent. */
  patch: JsonObject;
  /** What comes of it. */
  after: JsonObject;
}

/**
 * The rule for every secret that is kept: it goes to the address that it was given for, and is trusted to a certificate as it was then. Where a change
 * leads elsewhere, its author gives the secret anew; who can change an address but was never told the secret can't have it sent there.
 * @param destinationOf what says where the secrets go and what makes a certificate trusted, in one spelling: absent and the default are the same
 * @returns pointers of the secrets that would go elsewhere without having been given anew; none where the destination stays
 */
export function secretsToGiveAnew(
  { before, shown, patch, after }: ChangeOfSecrets,
  destinationOf: (thing: JsonObject) => Json[],
): string[] {
  if (isDeepStrictEqual(destinationOf(before), destinationOf(after))) return [];
  return hiddenAt(before, shown, '').filter((pointer) => {
    const stays = isDeepStrictEqual(atPointer(after, pointer), atPointer(before, pointer));
    const given = atPointer(patch, pointer);
    return stays && (given === undefined || JSON.stringify(given).includes(MASK));
  });
}

/**
 * Refuses a change that would send secrets elsewhere without their having been given anew.
 * @param root pointer of what changes, in the request's body
 * @throws RequestError 400 `secret.elsewhere` with the path of each
 */
export function requireSecretsAnew(change: ChangeOfSecrets, destinationOf: (thing: JsonObject) => Json[], root: string): void {
  const invalidParams = secretsToGiveAnew(change, destinationOf).map((pointer) => ({
    path: `${root}${pointer}`,
    reason: GIVE_ANEW,
  }));
  const [first] = invalidParams;
  if (first === undefined) return;
  throw new RequestError(400, 'secret.elsewhere', `${first.path}: ${first.reason}`, { invalidParams });
}

/** What is said of a secret that is to be given anew. */
export const GIVE_ANEW =
  'is needed anew: the request changes where it goes, or what makes the certificate there trusted, and a secret goes only where it was given for';

/** Where two values differ, as deep as both are objects. */
function hiddenAt(value: Json, shown: Json | undefined, pointer: string): string[] {
  if (isJsonObject(value) && isJsonObject(shown))
    return Object.entries(value).flatMap(([name, member]) => hiddenAt(member, shown[name], `${pointer}/${pointerToken(name)}`));
  return isDeepStrictEqual(value, shown) ? [] : [pointer];
}
