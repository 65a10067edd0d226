import { linearPattern, type LinearPattern } from './linear-pattern.js';
import { atPointer, isJsonObject, type Json, type JsonObject } from './json.js';

/** A place in a JSON Schema that holds a secret, or below which one may lie. Others are left out: what is unmarked costs nothing. */
export interface SecretPlace {
  /** All that lies here is secret. */
  secret: boolean;
  /** Of the members of an object that the schema names. */
  readonly members: Map<string, SecretPlace[]>;
  /** Of members whose names match; of all where there is no pattern to be run. */
  readonly matching: { pattern: LinearPattern | undefined; places: SecretPlace[] }[];
  /** Of members that are not named. */
  readonly otherMembers: SecretPlace[];
  /** Of the elements of a list by position, and of all others. */
  readonly tuple: SecretPlace[][];
  readonly elements: SecretPlace[];
  /** Other schemas of the same value: alternatives, conditions, references. */
  readonly also: SecretPlace[];
}

/** More values than a schema of any set of parameters has; beyond, everything is secret. */
const MAX_VALUES = 50_000;

const SAME_VALUE = ['not', 'if', 'then', 'else'] as const;
const SAME_VALUE_LISTS = ['allOf', 'anyOf', 'oneOf'] as const;
const SAME_VALUE_MAPS = ['dependentSchemas', 'dependencies'] as const;
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'] as const;

/**
 * Where secrets lie in a value, as JSON Schemas (2020-12, and what draft 7 spells otherwise) say by `writeOnly: true` or `format: password`.
 * A schema may be hostile: references are never fetched, and one that leads nowhere, like a schema that is too large, makes everything secret
 * that it is said of; only patterns that can't take long are run; cycles cost nothing.
 */
export class SecretPlaces {
  private constructor(readonly roots: readonly SecretPlace[]) {}

  /** Nothing is known to be secret. */
  static readonly none = new SecretPlaces([]);
  /** All is secret: for parameters that nobody can tell about. */
  static readonly everything = new SecretPlaces([placeOf(true)]);

  static of(schema: Json): SecretPlaces {
    if (!isJsonObject(schema)) return SecretPlaces.none;
    const root = new SchemaReader(schema).read();
    if (root === undefined) return SecretPlaces.everything;
    return root.secret || hasMarks(root) ? new SecretPlaces([root]) : SecretPlaces.none;
  }

  /** Of an object whose members are secret but for these. */
  static allBut(names: readonly string[]): SecretPlaces {
    const shown = Object.fromEntries(names.map((name) => [name, {}]));
    return SecretPlaces.of({ properties: shown, additionalProperties: { writeOnly: true } });
  }

  /** The same places, of a value that lies in another: member of member; `*` for each element of a list. */
  at(...path: string[]): SecretPlaces {
    if (this.roots.length === 0) return this;
    const within = path.reduceRight<SecretPlace[]>(
      (below, name) => {
        const place = placeOf(false);
        if (name === '*') place.elements.push(...below);
        else place.members.set(name, below);
        return [place];
      },
      [...this.roots],
    );
    return new SecretPlaces(within);
  }

  /** What any of them says. */
  static union(all: readonly SecretPlaces[]): SecretPlaces {
    const some = all.filter(({ roots }) => roots.length > 0);
    if (some.length > 1) return new SecretPlaces(some.flatMap(({ roots }) => roots));
    return some[0] ?? SecretPlaces.none;
  }
}

function placeOf(secret: boolean): SecretPlace {
  return { secret, members: new Map(), matching: [], otherMembers: [], tuple: [], elements: [], also: [] };
}

const hasMarks = ({ members, matching, otherMembers, tuple, elements, also }: SecretPlace): boolean =>
  members.size + matching.length + otherMembers.length + tuple.length + elements.length + also.length > 0;

/** A subschema, and the schema with an `$id` of its own that it is part of. */
interface Found {
  schema: JsonObject;
  resource: JsonObject;
}

/** Reads a schema without recursion: its nesting must not end the process. */
class SchemaReader {
  readonly #places = new Map<JsonObject, SecretPlace>();
  readonly #open: Found[] = [];
  /** By `$id` and by `#anchor`. */
  readonly #named = new Map<string, JsonObject>();
  /** Who leads to a place, to carry marks back. */
  readonly #above = new Map<SecretPlace, SecretPlace[]>();

  constructor(private readonly root: JsonObject) {}

  /** Undefined: it is too large. */
  read(): SecretPlace | undefined {
    if (!this.#index()) return undefined;
    const place = this.#place(this.root, this.root);
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) this.#readOne(next);
    this.#leaveOutUnmarked();
    return place;
  }

  /** Finds what has a name. @returns whether the document is small enough to go on */
  #index(): boolean {
    const open: Json[] = [this.root];
    let count = 0;
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (typeof next !== 'object' || next === null) continue;
      for (const below of Object.values(next)) {
        if (++count > MAX_VALUES) return false;
        open.push(below as Json);
      }
      if (!isJsonObject(next)) continue;
      if (typeof next.$id === 'string') this.#named.set(next.$id.replace(/#$/, ''), next);
      for (const anchor of [next.$anchor, next.$dynamicAnchor])
        if (typeof anchor === 'string') this.#named.set(`#${anchor}`, next);
    }
    return true;
  }

  #place(schema: Json | undefined, resource: JsonObject): SecretPlace | undefined {
    if (!isJsonObject(schema)) return undefined;
    const known = this.#places.get(schema);
    if (known !== undefined) return known;
    const place = placeOf(schema.writeOnly === true || schema.format === 'password');
    this.#places.set(schema, place);
    this.#open.push({ schema, resource: typeof schema.$id === 'string' ? schema : resource });
    return place;
  }

  #readOne({ schema, resource }: Found): void {
    const here = this.#places.get(schema);
    if (here === undefined || here.secret) return;
    const into = (list: SecretPlace[], ...below: (Json | undefined)[]): void => {
      for (const each of below) this.#lead(here, list, this.#place(each, resource));
    };
    for (const [name, member] of entriesOf(schema.properties)) {
      const list: SecretPlace[] = [];
      here.members.set(name, list);
      into(list, member);
    }
    for (const [pattern, member] of entriesOf(schema.patternProperties)) {
      const places: SecretPlace[] = [];
      here.matching.push({ pattern: quickPattern(pattern), places });
      into(places, member);
    }
    into(here.otherMembers, schema.additionalProperties, schema.unevaluatedProperties);
    const tuple = [schema.prefixItems, schema.items].find((items) => Array.isArray(items)) ?? [];
    for (const [index, element] of tuple.entries()) into((here.tuple[index] = []), element);
    into(here.elements, schema.items, schema.additionalItems, schema.unevaluatedItems, schema.contains);
    for (const keyword of SAME_VALUE) into(here.also, schema[keyword]);
    for (const keyword of SAME_VALUE_LISTS) into(here.also, ...listOf(schema[keyword]));
    for (const keyword of SAME_VALUE_MAPS) into(here.also, ...entriesOf(schema[keyword]).map(([, each]) => each));
    for (const keyword of REFERENCES) this.#follow(here, schema[keyword], resource);
  }

  #follow(here: SecretPlace, reference: Json | undefined, resource: JsonObject): void {
    if (typeof reference !== 'string') return;
    const found = this.#referred(reference, resource);
    // Nobody can tell what it would say.
    if (found.length === 0) here.secret = true;
    for (const each of found) this.#lead(here, here.also, this.#place(each, resource));
  }

  /** What a reference leads to: within its own resource, or in the whole document; both where both are there. */
  #referred(reference: string, resource: JsonObject): JsonObject[] {
    const named = this.#named.get(reference.replace(/#$/, ''));
    if (named !== undefined) return [named];
    const at = reference.indexOf('#');
    const fragment = at === -1 ? '' : reference.slice(at + 1);
    const document = reference.slice(0, at === -1 ? undefined : at);
    const roots = document === '' ? [resource, this.root] : [this.#named.get(document)];
    const pointer = decoded(fragment);
    if (pointer === undefined || (pointer !== '' && !pointer.startsWith('/'))) return [];
    return [...new Set(roots)].flatMap((root) => {
      const found = atPointer(root, pointer);
      return isJsonObject(found) ? [found] : [];
    });
  }

  #lead(from: SecretPlace, list: SecretPlace[], to: SecretPlace | undefined): void {
    if (to === undefined) return;
    list.push(to);
    const above = this.#above.get(to);
    if (above === undefined) this.#above.set(to, [from]);
    else above.push(from);
  }

  #leaveOutUnmarked(): void {
    const marked = new Set<SecretPlace>();
    const open = [...this.#places.values()].filter(({ secret }) => secret);
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (marked.has(next)) continue;
      marked.add(next);
      open.push(...(this.#above.get(next) ?? []));
    }
    const keep = (list: SecretPlace[]): void => void list.splice(0, list.length, ...list.filter((place) => marked.has(place)));
    for (const { members, matching, otherMembers, tuple, elements, also } of this.#places.values()) {
      const whole = [...matching.map(({ places }) => places), otherMembers, elements, also];
      for (const list of [...members.values(), ...tuple, ...whole]) keep(list);
      matching.splice(0, matching.length, ...matching.filter(({ places }) => places.length > 0));
      // A name stays where others are marked: it says that those are not meant.
      if (otherMembers.length === 0) for (const [name, list] of members) if (list.length === 0) members.delete(name);
      if (elements.length === 0 && tuple.every((list) => list.length === 0)) tuple.length = 0;
    }
  }
}

const entriesOf = (value: Json | undefined): [string, Json][] => (isJsonObject(value) ? Object.entries(value) : []);
const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

/** An untrusted pattern. Undefined: it can't be run, and may stand for any name. */
function quickPattern(pattern: string): LinearPattern | undefined {
  try {
    return linearPattern(pattern);
  } catch {
    return undefined;
  }
}
