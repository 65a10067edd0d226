import { isJsonObject, pointerToken, RequestError, type InvalidParam, type Json, type JsonObject } from '@windlass/foundation';
import { validateSync, type ValidationError } from 'class-validator';
import {
  attributesOf,
  findingsOf,
  isMergePatch,
  membersOf,
  own,
  standFor,
  WHOLE,
  wholeFindings,
  type Attribute,
  type BodyClass,
  type Nested,
  type Plain,
} from './attributes.js';
import { expectedGot, type Finding } from './rules.js';
import { sanityFindings } from './sanity.js';

/** A body with more faults than this is answered with the first ones and a count of the others. */
export const MAX_INVALID_PARAMS = 1_000;

/**
 * Tests a request body against its class and returns it as plain JSON of that type.
 *
 * Unknown attributes are kept as they are. Spellings that existing clients use are
 * put right: `"1"` for 1, a single value for a list of one, null for an absent optional attribute (kept in a merge patch, where
 * it deletes).
 * @throws RequestError 400 `request.invalid-body`; its `invalidParams` have one entry per wrong field, `path` being its JSON
 * pointer and `reason` what was expected and what kind of value came. No value is repeated, but for misspelled enumeration words.
 */
export function validateBody<T extends object>(bodyClass: BodyClass<T>, body: unknown): Plain<T> {
  const insane = sanityFindings(body);
  if (insane.length > 0) throw invalidBody(nameOf(bodyClass), insane);
  if (!isJsonObject(body)) throw invalidBody(nameOf(bodyClass), [{ at: '', reason: expectedGot('an object', body) }]);
  const value = normalised(bodyClass, body);
  const errors = validateSync(instanceOf(bodyClass, value), { forbidUnknownValues: true, validationError: { target: false } });
  const findings = collect(bodyClass, value, errors, '');
  if (findings.length > 0) throw invalidBody(nameOf(bodyClass), findings);
  return validated(bodyClass, value);
}

/** A body that {@link validateBody} has returned and that was kept as JSON since, with its type. It is not tested again. */
export const validated = <T extends object>(_bodyClass: BodyClass<T>, kept: JsonObject): Plain<T> => kept as unknown as Plain<T>;

/** The standard's name of the type. */
const nameOf = (bodyClass: BodyClass): string => bodyClass.name.replace(/Body$/, '');

/** The 400 for findings of any origin, such as those of checks against a VNFD that come after {@link validateBody}. */
export function invalidBody(what: string, findings: readonly Finding[]): RequestError {
  const params: InvalidParam[] = findings.slice(0, MAX_INVALID_PARAMS).map(({ at, reason }) => ({ path: at, reason }));
  const shown = params.slice(0, 3).map(({ path, reason }) => `${path === '' ? 'the body' : path}: ${reason}`);
  const more = findings.length > shown.length ? `; and ${findings.length - shown.length} more` : '';
  return new RequestError(400, 'request.invalid-body', `${what}: ${shown.join('; ')}${more}`, { invalidParams: params });
}

/** A copy with the attributes of the class put in their proper form, and all others as they came. */
function normalised(bodyClass: BodyClass, body: JsonObject): JsonObject {
  const attributes = attributesOf(bodyClass);
  const keepsNull = isMergePatch(bodyClass);
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(body)) {
    const attribute = attributes.get(key);
    if (attribute === undefined) result[key] = value;
    else if (value !== null || keepsNull || attribute.required) result[key] = normalisedAttribute(attribute, value);
  }
  return result;
}

function normalisedAttribute({ rule, nested }: Attribute, value: Json): Json {
  if (nested === undefined) return rule?.normalise?.(value) ?? value;
  const inside = (member: Json): Json => (isJsonObject(member) ? normalised(nested.of(), member) : member);
  if (nested.shape === 'list') return Array.isArray(value) ? value.map(inside) : value;
  if (nested.shape === 'map' && isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, inside(member)]));
  }
  return inside(value);
}

/**
 * What class-validator sees: an instance with the described attributes alone. It finds the rules through `constructor`,
 * so an attribute of that name in a body must not reach it.
 */
function instanceOf(bodyClass: BodyClass, value: JsonObject): object {
  const instance = new bodyClass();
  standFor(instance, value);
  for (const { name, nested } of attributesOf(bodyClass).values()) {
    const member = own(value, name);
    if (member !== undefined) Reflect.set(instance, name, nested === undefined ? member : nestedInstance(nested, member));
  }
  return instance;
}

/** A member that is no object becomes undefined: the attribute's own rule reports it, class-validator passes over it. */
function nestedInstance(nested: Nested, value: Json): unknown {
  const members = membersOf(nested, value);
  if (members === undefined) return undefined;
  const instances = members.map(([key, member]): [string, object | undefined] => [
    key,
    isJsonObject(member) ? instanceOf(nested.of(), member) : undefined,
  ]);
  if (nested.shape === 'list') return instances.map(([, instance]) => instance);
  return nested.shape === 'map' ? new Map(instances) : instances[0]?.[1];
}

/** From class-validator's tree of failed properties to findings with pointers. */
function collect(bodyClass: BodyClass, value: JsonObject, errors: readonly ValidationError[], at: string): Finding[] {
  const attributes = attributesOf(bodyClass);
  return errors.flatMap((error) => {
    if (error.property === WHOLE) return under(at, wholeFindings(bodyClass, value));
    const attribute = attributes.get(error.property);
    if (attribute === undefined) return [];
    const here = `${at}/${pointerToken(error.property)}`;
    const member = own(value, error.property);
    const findings = under(here, error.constraints === undefined ? [] : findingsOf(attribute, member));
    const inside =
      attribute.nested === undefined || member === undefined ? [] : collectNested(attribute.nested, member, error, here);
    return [...findings, ...inside];
  });
}

function collectNested(nested: Nested, value: Json, error: ValidationError, at: string): Finding[] {
  const children = error.children ?? [];
  if (nested.shape === 'object') return isJsonObject(value) ? collect(nested.of(), value, children, at) : [];
  const members = new Map(membersOf(nested, value));
  return children.flatMap((child) => {
    const member = members.get(child.property);
    if (!isJsonObject(member)) return [];
    return collect(nested.of(), member, child.children ?? [], `${at}/${pointerToken(child.property)}`);
  });
}

const under = (at: string, findings: readonly Finding[]): Finding[] =>
  findings.map((finding) => ({ at: `${at}${finding.at}`, reason: finding.reason }));
