import { InvariantError, isJsonObject, pointerToken, type Json, type JsonObject } from '@windlass/foundation';
import { ValidateBy, ValidateNested, type ValidationArguments } from 'class-validator';
import { describeListSize, expectedGot, type Finding, type Rule } from './rules.js';

/** A class that describes a JSON object: its decorated attributes are its schema and its TypeScript type at once. */
export type BodyClass<T extends object = object> = new () => T;

/** The JSON object that a class describes: what stands on either side of {@link validateBody} is never an instance. */
export type Plain<T extends object> = { [K in keyof T]: T[K] };

type AnyClass = abstract new () => object;

/** Attributes that are objects of a described class: one, a list of them, or a map of them. */
export interface Nested {
  readonly shape: 'object' | 'list' | 'map';
  readonly of: () => BodyClass;
  readonly min: number;
  readonly max: number;
}

/** Everything known of one attribute. */
export interface Attribute {
  readonly name: string;
  readonly required: boolean;
  readonly rule: Rule | undefined;
  readonly nested: Nested | undefined;
}

interface Description {
  readonly attributes: Map<string, Attribute>;
  readonly checks: ((value: JsonObject) => Finding[])[];
  mergePatch: boolean;
}

/** The name under which class-validator keeps the rules on a whole object. No JSON attribute can be in its way: bodies never reach it. */
export const WHOLE = '(whole)';

const descriptions = new WeakMap<object, Description>();
/** From the instance that class-validator sees to the JSON object that it stands for. */
const sources = new WeakMap<object, JsonObject>();

function describe(prototype: object): Description {
  const known = descriptions.get(prototype);
  if (known !== undefined) return known;
  const fresh: Description = { attributes: new Map(), checks: [], mergePatch: false };
  descriptions.set(prototype, fresh);
  return fresh;
}

/** The class and those it extends, most general first. */
function lineage(bodyClass: BodyClass): Description[] {
  const found: Description[] = [];
  for (let here: unknown = bodyClass.prototype; typeof here === 'object' && here !== null; here = Object.getPrototypeOf(here)) {
    const description = descriptions.get(here);
    if (description !== undefined) found.unshift(description);
  }
  return found;
}

const attributesByClass = new WeakMap<BodyClass, Map<string, Attribute>>();

/** The attributes of a class by name, those of the classes it extends included. */
export function attributesOf(bodyClass: BodyClass): Map<string, Attribute> {
  const known = attributesByClass.get(bodyClass);
  if (known !== undefined) return known;
  const found = new Map(lineage(bodyClass).flatMap((description) => [...description.attributes]));
  attributesByClass.set(bodyClass, found);
  return found;
}

/** True for the bodies of PATCH: null there deletes and is kept. */
export const isMergePatch = (bodyClass: BodyClass): boolean => lineage(bodyClass).some((description) => description.mergePatch);

/** What is wrong with the object as a whole, by the rules of its class. */
export const wholeFindings = (bodyClass: BodyClass, value: JsonObject): Finding[] =>
  lineage(bodyClass).flatMap((description) => description.checks.flatMap((check) => check(value)));

/** Ties an instance for class-validator to the JSON it stands for. */
export function standFor(instance: object, source: JsonObject): void {
  sources.set(instance, source);
}

function sourceOf(instance: object): JsonObject {
  const source = sources.get(instance);
  if (source === undefined) throw new InvariantError(`${instance.constructor.name} was validated without validateBody`);
  return source;
}

/** The value of an own member, or undefined: `{}.constructor` is no attribute. */
export const own = (object: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

type PropertyDecorate = (prototype: object, name: string) => void;

function attribute(required: boolean, kind: Rule | Nested): PropertyDecorate {
  return (prototype, name) => {
    const nested = 'shape' in kind ? kind : undefined;
    const rule = 'shape' in kind ? undefined : kind;
    describe(prototype).attributes.set(name, { name, required, rule, nested });
    const validate = (_value: unknown, args?: ValidationArguments): boolean =>
      args !== undefined && findingsOf({ name, required, rule, nested }, own(sourceOf(args.object), name)).length === 0;
    ValidateBy({ name: 'attribute', validator: { validate } })(prototype, name);
    if (nested !== undefined) ValidateNested()(prototype, name);
  };
}

/** The attribute is mandatory and obeys the rule; null counts as missing. */
export const Required = (kind: Rule | Nested): PropertyDecorate => attribute(true, kind);

/** The attribute may be absent or null, else it obeys the rule. */
export const Optional = (kind: Rule | Nested): PropertyDecorate => attribute(false, kind);

/** A rule on an object as a whole, such as "exactly one of a and b". */
export function Check(check: (value: JsonObject) => Finding[]): (bodyClass: AnyClass) => void {
  return (bodyClass) => {
    describe(bodyClass.prototype as object).checks.push(check);
    // class-validator lets a subclass's rule replace its parent's on the same property, so each runs those of the whole lineage.
    const validate = (_value: unknown, args?: ValidationArguments): boolean =>
      args !== undefined && wholeFindings(args.object.constructor as BodyClass, sourceOf(args.object)).length === 0;
    ValidateBy({ name: 'whole', validator: { validate } })(bodyClass.prototype as object, WHOLE);
  };
}

/** The body is a JSON merge patch (RFC 7396): null deletes an optional attribute. */
export const MergePatch = () => (bodyClass: AnyClass) => {
  describe(bodyClass.prototype as object).mergePatch = true;
};

/** One object of the class. */
export const object = (of: () => BodyClass): Nested => ({ shape: 'object', of, min: 0, max: 1 });

/** A list of objects of the class. */
export const objects = (of: () => BodyClass, { min = 0, max = Number.MAX_SAFE_INTEGER } = {}): Nested => ({
  shape: 'list',
  of,
  min,
  max,
});

/** A map from ids to objects of the class. */
export const mapOf = (of: () => BodyClass, { min = 0 } = {}): Nested => ({
  shape: 'map',
  of,
  min,
  max: Number.MAX_SAFE_INTEGER,
});

/** What is wrong with the value of one attribute, apart from what lies inside nested objects. */
export function findingsOf({ required, rule, nested }: Attribute, value: Json | undefined): Finding[] {
  const expected = rule?.expected ?? describeNested(nested);
  if (value === undefined || value === null) {
    return required ? [{ at: '', reason: `is required: ${expectedGot(expected, value)}` }] : [];
  }
  if (rule !== undefined) return rule.findings(value);
  return nested === undefined ? [] : nestedFindings(nested, value, expected);
}

function describeNested(nested: Nested | undefined): string {
  if (nested?.shape === 'list') return `${describeListSize(nested.min, nested.max)}, each an object`;
  if (nested?.shape === 'map') return nested.min === 0 ? 'an object of objects' : `an object of at least ${nested.min} objects`;
  return 'an object';
}

/** The members of a nested attribute with their keys; undefined where its own shape is wrong already. */
export function membersOf(nested: Nested, value: Json): [string, Json][] | undefined {
  if (nested.shape === 'list') return Array.isArray(value) ? value.map((entry, index) => [String(index), entry]) : undefined;
  if (!isJsonObject(value)) return undefined;
  return nested.shape === 'map' ? Object.entries(value) : [['', value]];
}

function nestedFindings(nested: Nested, value: Json, expected: string): Finding[] {
  const members = membersOf(nested, value);
  if (members === undefined) return [{ at: '', reason: expectedGot(expected, value) }];
  if (nested.shape === 'object') return [];
  if (members.length < nested.min || members.length > nested.max) return [{ at: '', reason: expectedGot(expected, value) }];
  return members
    .filter(([, member]) => !isJsonObject(member))
    .map(([key, member]) => ({ at: `/${pointerToken(key)}`, reason: expectedGot('an object', member) }));
}
