import { InvariantError, pointerToken, type Json, type JsonObject } from '@windlass/foundation';

/** Marks, for the compiler alone, what a value stands for. Nothing is there at run time, and nothing goes over the wire. */
declare const standsFor: unique symbol;
/** Something that is used in a `T`'s place. */
export type StandsFor<T> = { readonly [standsFor]: T };

/** Points at a value that is known only when the step is claimed. `T` is the value's type, where the plan's author has one. */
export type Ref<T = unknown> = StandsFor<T> & {
  /** `step:<id>` (its output), `common` (the plan's), or a source that the operation's owner provides, such as `vnfc:<id>`. */
  readonly $from: string;
  /** RFC 6901 pointer into the source; the whole of it when absent. */
  readonly at?: string;
};

/** What a plan's author gives where a step's input has a `T`: a value, a reference to one, or an object or list that has references in it. */
export type Given<T> = Ref<T> | GivenValue<T>;
type GivenValue<T> = T extends object ? { [K in keyof T]: Given<T[K]> } : T;

/** The members of an input, each as a value or a reference. */
export type GivenInput<Input> = { [K in keyof Input]: Given<Input[K]> };

/**
 * A place in a value of type `T` that is not there yet: `(found) => found.resources.stack`. What may be null or absent on the way is taken to
 * be there; where it is not, the step that points there fails when it is claimed.
 */
export type PathTo<T> = StandsFor<T> & PathMembers<NonNullable<T>>;
type PathMembers<T> = T extends readonly (infer E)[]
  ? { readonly [index: number]: PathTo<E> }
  : T extends object
    ? { readonly [K in keyof T & string]-?: PathTo<Exclude<T[K], undefined>> }
    : unknown;

/** Chooses a part of a value by its members' names; the compiler knows them, and an editor renames them. */
export type Select<T, U> = (whole: PathTo<T>) => StandsFor<U>;

/** A source that the operation's owner provides, with the type of what it gives. A string like any other at run time. */
export type Source<T> = string & StandsFor<T>;

/** Names a source and says what it gives. Who provides it answers for the type. */
export const source = <T>(name: string): Source<T> => name as Source<T>;

/** A step, or the name of one, with the type of its output. */
export type StepWithOutput<Output> = StandsFor<Output> & { readonly id: string };

/**
 * The output of an earlier step, or a part of it. An id is the one given in the same plan; of another plan, the full one with a leading `/`.
 * By a bare id and a pointer nothing is checked until the plan is.
 */
export function outputOf<Output>(step: StepWithOutput<Output>): Ref<Output>;
export function outputOf<Output, T>(step: StepWithOutput<Output>, select: Select<Output, T>): Ref<T>;
export function outputOf(stepId: string, at?: string): Ref<Json>;
export function outputOf(step: string | { readonly id: string }, part?: string | Select<unknown, unknown>): Ref {
  return refTo(`step:${typeof step === 'string' ? step : step.id}`, part);
}

/** A part of the plan's common input: of the object itself, whose members the compiler knows, or by a pointer. */
export function common<Common extends object, T>(of: Common, select: Select<Common, T>): Ref<T>;
export function common(at: string): Ref<Json>;
export function common(of: string | object, select?: Select<never, unknown>): Ref {
  return refTo('common', typeof of === 'string' ? of : select);
}

/** A value of a source that the operation's owner provides when the step is claimed, or a part of it. */
export function sourced<T>(from: Source<T>): Ref<T>;
export function sourced<T, U>(from: Source<T>, select: Select<T, U>): Ref<U>;
export function sourced(from: string, at?: string): Ref<Json>;
export function sourced(from: string, part?: string | Select<unknown, unknown>): Ref {
  return refTo(from, part);
}

function refTo(from: string, part: string | Select<never, unknown> = ''): Ref {
  const at = typeof part === 'string' ? part : pointerBy(part);
  return { $from: from, ...(at === '' ? {} : { at }) } as Ref;
}

/** Each path that was handed out, with its pointer. */
const pointers = new WeakMap<object, string>();

/**
 * The RFC 6901 pointer to what a selection chooses.
 * @throws InvariantError when it chooses nothing of what it was given
 */
function pointerBy(select: Select<never, unknown>): string {
  const pointer = pointers.get(select(pathAt('')));
  if (pointer === undefined) throw new InvariantError('a selection must return a member of what it was given');
  return pointer;
}

function pathAt(pointer: string): PathTo<never> {
  const path = new Proxy({} as PathTo<never>, {
    get: (_target, key) => {
      if (typeof key === 'symbol') throw new InvariantError('a selection takes members by name, and does nothing else with them');
      return pathAt(`${pointer}/${pointerToken(key)}`);
    },
  });
  pointers.set(path, pointer);
  return path;
}

/** Whether a part of a step's input is a {@link Ref}: an object whose `$from` is a string. */
export const isReference = (value: Json): value is JsonObject & { $from: string; at?: string } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && typeof value.$from === 'string';
