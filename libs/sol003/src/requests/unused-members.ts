import { isJsonObject, nearest, pointerToken, type JsonObject } from '@windlass/foundation';
import { attributesOf, membersOf, type BodyClass } from '../validation/attributes.js';
import type { Finding } from '../validation/rules.js';
import { MEMBERS, type Fate } from './members.js';

/** What of a request is not used, by its place, with words that say what to do. */
export interface UnusedMembers {
  /** It has no effect, and the request is carried out without it. */
  ignored: Finding[];
  /** Without it the outcome would be another than was asked for. */
  refused: Finding[];
}

/** Members that are told of one request: who has more mends these first. */
const MOST = 50;
/** Letters of a name of the client's own that are repeated. */
const LONGEST_NAME = 100;

/** The standard's name of the type that a class describes, whichever version of the API it is of. */
export const typeNameOf = (bodyClass: BodyClass): string => bodyClass.name.replace(/(V2)?Body$/, '');

/**
 * The members of a valid body that nothing reads, by {@link MEMBERS}. One that the standard does not know is told, with the name that may be meant: a request
 * of a later version of the standard is to be taken all the same. What a client makes up itself (`additionalParams` and the like) is not looked into.
 * @param body as it follows the class
 */
export function unusedMembers(bodyClass: BodyClass, body: JsonObject): UnusedMembers {
  const found: Found = { ignored: [], refused: [], more: 0 };
  walk(bodyClass, body, '', found);
  const { ignored, refused, more } = found;
  const left = more === 0 ? [] : [{ at: '', reason: `and ${more} more members that are not used` }];
  return { ignored: [...ignored, ...left], refused };
}

interface Found extends UnusedMembers {
  /** Those that are counted alone. */
  more: number;
}

/** What is like a name is only looked for of those that are told. */
function tell(found: Found, at: string, reason: () => string): void {
  if (found.ignored.length < MOST) found.ignored.push({ at, reason: reason() });
  else found.more += 1;
}

function walk(bodyClass: BodyClass, value: JsonObject, at: string, found: Found): void {
  const attributes = attributesOf(bodyClass);
  for (const [name, member] of Object.entries(value)) {
    const here = `${at}/${pointerToken(name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name)}`;
    const attribute = attributes.get(name);
    const fate = fateOf(bodyClass, name);
    if (fate === undefined) tell(found, here, () => unknown(bodyClass, name));
    else if (typeof fate === 'object' && member !== null) {
      if ('ignored' in fate) tell(found, here, () => fate.ignored);
      else found.refused.push({ at: here, reason: fate.refused });
    } else if (attribute?.nested !== undefined && member !== null) {
      const { nested } = attribute;
      for (const [key, each] of membersOf(nested, member) ?? [])
        if (isJsonObject(each)) walk(nested.of(), each, nested.shape === 'object' ? here : `${here}/${pointerToken(key)}`, found);
    }
  }
}

/** Undefined for a member that neither the standard nor this release knows, or not in this version of the API. */
function fateOf(bodyClass: BodyClass, name: string): Fate | undefined {
  const fates = MEMBERS[typeNameOf(bodyClass)];
  if (fates === undefined || !Object.hasOwn(fates, name)) return undefined;
  const fate = fates[name];
  return fate !== 'used' || attributesOf(bodyClass).has(name) ? fate : undefined;
}

function unknown(bodyClass: BodyClass, name: string): string {
  const type = typeNameOf(bodyClass);
  const meant = nearest(name.slice(0, LONGEST_NAME), [...attributesOf(bodyClass).keys()]);
  const advice = meant === undefined ? 'leave it out' : `did you mean ${meant}?`;
  return `is no member of ${type} and is not used: ${advice}`;
}

/** A finding as a sentence. */
export const unusedMemberWarning = ({ at, reason }: Finding): string => (at === '' ? reason : `${at} ${reason}`);
