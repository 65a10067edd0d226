import { isJsonObject, TerminalError, type Json, type JsonObject } from '@windlass/foundation';
import { storableText } from './storable-text.js';
import type { Plan } from './plan.js';

/** What an untrusted plan may be at most, beside the bytes that hold for every plan. */
export const PLAN_LIMITS = {
  /** A cluster of 180 nodes, which is what fits into the bytes, has some 720. */
  steps: 5_000,
  /** Sequences and parallel parts in each other. */
  levels: 32,
  /** Objects and arrays in each other, in an input or the common part. */
  inputLevels: 32,
  /** Keys of limits of one step: a look at all nodes of a cluster has one for each. */
  limitKeys: 256,
  /** Steps that one waits for by name, beside those that its place makes it wait for. */
  after: 16,
  /** Characters of a target, a limit's key, a name. */
  text: 255,
} as const;

/** Traits that a driver may give a step. The others are for sagas: they would reach beyond the driver's own steps. */
export const DRIVER_TRAITS = ['undoable', 'contributes', 'onFailure'] as const;

/** What an untrusted driver wrote, as it may stand in a message: quoted, and not longer than it takes to find it. */
export const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? JSON.stringify(storableText(value)) : typeof value;
  return text.length > 120 ? `${text.slice(0, 120)}...` : text;
};

/** The plan is not as it has to be. {@link compilePlan} says whose it is. */
export const planError = (detail: string): TerminalError => new TerminalError('plan.refused', detail);

/**
 * Reads what came as a plan: every node and member of the form that {@link Plan} has, and within {@link PLAN_LIMITS}.
 * @throws TerminalError `plan.refused`
 */
export function readPlan(value: unknown): Plan {
  const plan = record(value, 'the plan', ['root', 'common', 'madeBy']);
  const { root, common, madeBy } = plan;
  if (common !== undefined) readInput(common, 'the common part');
  if (madeBy !== undefined) {
    const by = record(madeBy, 'madeBy', ['driver', 'version']);
    text(by.driver, 'madeBy.driver');
    text(by.version, 'madeBy.version');
  }
  const count = new Count();
  readNode(root, 'root', 1, count);
  return value as Plan;
}

class Count {
  #steps = 0;

  another(): void {
    if (++this.#steps > PLAN_LIMITS.steps) throw planError(`it has more than ${PLAN_LIMITS.steps} steps`);
  }
}

function readNode(value: unknown, at: string, level: number, count: Count): void {
  if (level > PLAN_LIMITS.levels)
    throw planError(`its parts lie too deep in each other: ${PLAN_LIMITS.levels} levels are allowed`);
  const { kind } = object(value, at);
  if (kind === 'step') readStep(value, at, count);
  else if (kind === 'sequence' || kind === 'parallel') {
    const { of, limit } = record(value, at, kind === 'sequence' ? ['kind', 'of'] : ['kind', 'of', 'limit']);
    if (!Array.isArray(of)) throw planError(`${at}.of is ${nameOf(of)}, an array of parts was expected`);
    if (limit !== undefined && typeof limit !== 'number')
      throw planError(`${at}.limit is ${nameOf(limit)}, a number was expected`);
    of.forEach((child: unknown, index) => readNode(child, `${at}.of[${index}]`, level + 1, count));
  } else throw planError(`${at} has the kind ${shown(kind)}: step, sequence or parallel was expected`);
}

const STEP = ['kind', 'id', 'action', 'version', 'service', 'input', 'target', 'limits', 'after', 'traits'];

function readStep(value: unknown, at: string, count: Count): void {
  count.another();
  const step = record(value, at, STEP);
  const name = `step ${shown(text(step.id, `${at}.id`))}: `;
  text(step.action, `${name}action`);
  text(step.service, `${name}service`);
  if (!Number.isInteger(step.version)) throw planError(`${name}version is ${nameOf(step.version)}, a whole number was expected`);
  if (step.target !== undefined) text(step.target, `${name}target`);
  readInput(step.input, `${name}input`);
  readLimits(step.limits, name);
  readAfter(step.after, name);
  readTraits(step.traits, name);
}

function readLimits(value: unknown, name: string): void {
  if (value === undefined) return;
  if (!Array.isArray(value)) throw planError(`${name}limits is ${nameOf(value)}, an array of keys was expected`);
  if (value.length > PLAN_LIMITS.limitKeys)
    throw planError(`${name}it has ${value.length} limits, ${PLAN_LIMITS.limitKeys} are allowed`);
  value.forEach((key: unknown) => text(key, `${name}a key of limits`));
}

function readAfter(value: unknown, name: string): void {
  if (value === undefined) return;
  if (!Array.isArray(value)) throw planError(`${name}after is ${nameOf(value)}, an array of ids was expected`);
  if (value.length > PLAN_LIMITS.after)
    throw planError(`${name}it is after ${value.length} steps by name, ${PLAN_LIMITS.after} are allowed`);
  value.forEach((id: unknown) => text(id, `${name}an id in after`));
}

function readTraits(value: unknown, name: string): void {
  if (value === undefined) return;
  const traits = object(value, `${name}traits`);
  const unknown = Object.keys(traits).find((trait) => !(DRIVER_TRAITS as readonly string[]).includes(trait));
  if (unknown !== undefined)
    throw planError(`${name}the trait ${shown(unknown)} is not for drivers: ${DRIVER_TRAITS.join(', ')} are allowed`);
  for (const trait of ['undoable', 'contributes']) {
    if (traits[trait] !== undefined && typeof traits[trait] !== 'boolean')
      throw planError(`${name}the trait ${trait} is ${nameOf(traits[trait])}, true or false was expected`);
  }
  if (traits.onFailure !== undefined && traits.onFailure !== 'suspend' && traits.onFailure !== 'roll-back')
    throw planError(`${name}the trait onFailure is ${shown(traits.onFailure)}: suspend or roll-back was expected`);
}

/** An object whose members nest no deeper than they may; no member is named as every object's prototype is. */
function readInput(value: unknown, what: string): void {
  object(value, what);
  readJson(value as Json, what, 1);
}

function readJson(value: Json, what: string, level: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (level > PLAN_LIMITS.inputLevels)
    throw planError(`${what} holds objects or arrays too deep in each other: ${PLAN_LIMITS.inputLevels} levels are allowed`);
  if (!Array.isArray(value) && Object.hasOwn(value, '__proto__'))
    throw planError(`${what} has a member "__proto__", which is not taken`);
  for (const member of Object.values(value)) readJson(member, what, level + 1);
}

function text(value: unknown, what: string): string {
  if (typeof value !== 'string') throw planError(`${what} is ${nameOf(value)}, a text was expected`);
  if (value.length === 0 || value.length > PLAN_LIMITS.text)
    throw planError(`${what} has ${value.length} characters: 1 to ${PLAN_LIMITS.text} were expected`);
  // What PostgreSQL can't keep, and what a terminal would obey.
  if (value !== storableText(value) || /\p{Cc}/u.test(value))
    throw planError(`${what} ${shown(value)} has characters that can't be shown`);
  return value;
}

function object(value: unknown, what: string): JsonObject {
  if (!isJsonObject(value)) throw planError(`${what} is ${nameOf(value)}, an object was expected`);
  return value;
}

/**
 * An object that has none but these members.
 * @throws TerminalError `plan.refused` with what is wrong
 */
function record(value: unknown, what: string, members: readonly string[]): JsonObject {
  const found = object(value, what);
  const unknown = Object.keys(found).find((key) => !members.includes(key));
  if (unknown !== undefined) throw planError(`${what} has a member ${shown(unknown)}: ${members.join(', ')} were expected`);
  return found;
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
