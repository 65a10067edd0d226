import { TerminalError } from './errors.js';
import { isJsonObject, type Json, type JsonObject } from './json.js';
import { MASK } from './secret.js';

/** What a patch makes of what was sent, where its author saw it masked: wherever it repeats a mask, what was sent stays. */
export function withoutMasks(sent: Json | undefined, shown: Json | undefined, patch: Json): Json {
  if (typeof patch === 'string') return patch.includes(MASK) && hasMask(shown) && sent !== undefined ? sent : patch;
  if (Array.isArray(patch)) return withoutMasksInList(sent, shown, patch);
  if (!isJsonObject(patch)) return patch;
  const [was, saw] = [isJsonObject(sent) ? sent : {}, isJsonObject(shown) ? shown : {}];
  return Object.fromEntries(
    Object.entries(patch).map(([name, member]) => [name, withoutMasks(own(was, name), own(saw, name), member)]),
  );
}

const own = (object: JsonObject, name: string): Json | undefined => (Object.hasOwn(object, name) ? object[name] : undefined);

const hasMask = (value: Json | undefined): boolean => value !== undefined && JSON.stringify(value).includes(MASK);

/**
 * A list replaces a list, so each element takes back what it was shown without. @throws TerminalError where elements are not where they
 * were: a secret must not end in another element than the one it was sent for
 */
function withoutMasksInList(sent: Json | undefined, shown: Json | undefined, patch: Json[]): Json[] {
  if (!hasMask(patch) || !hasMask(shown) || !Array.isArray(sent) || !Array.isArray(shown)) return patch;
  const saw = shown.map((entry) => JSON.stringify(entry));
  const moved = patch.some((entry, index) => saw[index] !== JSON.stringify(entry) && saw.includes(JSON.stringify(entry)));
  if (moved || patch.length !== shown.length) {
    throw new TerminalError(
      'secret.displaced',
      `a list of ${shown.length} with masked secrets came back as one of ${patch.length} in another order: repeat each element in its place, or leave the list out`,
    );
  }
  return patch.map((entry, index) => withoutMasks(sent[index], shown[index], entry));
}
