import { mapMembers } from './members.js';
import { isSecretName } from './secret-names.js';
import { SecretPlaces, type SecretPlace } from './secret-places.js';
import { MIN_KNOWN_LENGTH } from './secret-texts.js';
import { MASK, maskSecrets, maskUrlUser, Secret, URL_USER } from './secret.js';

/** Members in a text that is itself JSON or a Python literal, such as a VIM's `extra.helm_info`. */
const QUOTED_MEMBER = /(["'])([\w-]+)\1(\s*:\s*)(["'])((?:\\.|(?!\4)[^\\])*)\4/g;

/**
 * A deep copy with every secret masked: the values of members whose names tell it, whole where they are structures; what lies where `places`
 * say; the user parts of URLs; members in texts that hold JSON. Keys and shape stay.
 */
export const masked = <T>(value: T, places: SecretPlaces = SecretPlaces.none): T =>
  new Masking().value(value, places.roots, 0) as T;

/**
 * What {@link masked} hides of a value, to be masked in texts that may quote it: see {@link maskSecrets}. What the value shows elsewhere, by
 * itself or as a word of a name or a path, is left out: a user `ubuntu` with the password `ubuntu` stays readable, and the mask tells nobody.
 */
export function secretTextsIn(value: unknown, places: SecretPlaces = SecretPlaces.none): string[] {
  const hidden = new Set<string>();
  const shown = new Set<string>();
  new Masking(hidden, shown).value(value, places.roots, 0);
  return [...hidden].flatMap(withLines).flatMap((text) => {
    if (text.length < MIN_KNOWN_LENGTH || shown.has(text)) return [];
    const escaped = JSON.stringify(text).slice(1, -1);
    return escaped === text ? [text] : [text, escaped];
  });
}

/** Longer texts are no names. */
const MAX_SHOWN_LENGTH = 256;

/** Shorter lines of a secret are none by themselves. */
const MIN_LINE_LENGTH = 8;

/** A secret of several lines, such as a private key, is quoted line by line as well. */
function withLines(text: string): string[] {
  const lines = text.includes('\n') ? text.split('\n').map((line) => line.trim()) : [];
  return [text, ...lines.filter((line) => line.length >= MIN_LINE_LENGTH)];
}

/** A deep copy with these texts masked wherever they stand: for errors and messages that may quote them. */
export function withoutTexts<T>(value: T, texts: readonly string[]): T {
  return texts.length === 0 ? value : (quoted(value, texts) as T);
}

function quoted(value: unknown, texts: readonly string[]): unknown {
  if (typeof value === 'string') return maskSecrets(value, texts);
  if (Array.isArray(value)) return value.map((entry) => quoted(entry, texts));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return mapMembers(value, (member) => quoted(member, texts));
}

/** Deeper than any request may be (64), and shallow enough for recursion. */
const MAX_DEPTH = 128;
/** Looks at places of schemas, for one value: far more than any request needs; a hostile schema's value is hidden from there on. */
const MAX_LOOKS = 200_000;

class Masking {
  #looks = 0;

  constructor(
    private readonly hidden?: Set<string>,
    private readonly shown?: Set<string>,
  ) {}

  value(value: unknown, places: readonly SecretPlace[], depth: number): unknown {
    if (value === null || value === undefined) return value;
    if (value instanceof Secret || depth > MAX_DEPTH) return MASK;
    if (places.length === 0) return this.#unmarked(value, depth);
    const here = this.#all(places);
    if (here.some(({ secret }) => secret) || this.#looks > MAX_LOOKS) return this.#hide(value, depth);
    // A single value where the schema has marks below: it has another shape than was declared, or holds it as text.
    if (typeof value === 'string') return here.length === 0 ? this.#text(value) : this.#hide(value, depth);
    if (typeof value !== 'object')
      return here.length === 0 || typeof value === 'boolean' ? this.#shows(value) : this.#hide(value, depth);
    if (Array.isArray(value)) return value.map((entry, index) => this.value(entry, elementPlaces(here, index), depth + 1));
    return this.#object(value, this.#all(inPlaceOfList(here)), depth);
  }

  /** What no schema speaks of, as most of what is shown: only names and texts tell secrets. */
  #unmarked(value: unknown, depth: number): unknown {
    if (this.#looks > MAX_LOOKS) return this.#hide(value, depth);
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object' || value === null) return this.#shows(value);
    if (Array.isArray(value)) return value.map((entry: unknown) => this.value(entry, [], depth + 1));
    return this.#object(value, [], depth);
  }

  #object(value: object, places: readonly SecretPlace[], depth: number): unknown {
    return mapMembers(value, (member, name) => {
      if (typeof member !== 'boolean' && isSecretName(name)) return this.#hide(member, depth + 1);
      return this.value(member, places.length === 0 ? places : memberPlaces(places, name), depth + 1);
    });
  }

  /** The places and all that speak of the same value. */
  #all(places: readonly SecretPlace[]): readonly SecretPlace[] {
    const all = new Set<SecretPlace>(places);
    // What is added is walked too.
    for (const { also } of all) {
      this.#looks += 1 + also.length;
      if (this.#looks > MAX_LOOKS) break;
      for (const each of also) all.add(each);
    }
    return [...all];
  }

  /** Everything but the shape. */
  #hide(value: unknown, depth: number): unknown {
    if (value === null || value === undefined) return value;
    if (typeof value === 'object' && !(value instanceof Secret) && depth <= MAX_DEPTH) {
      if (Array.isArray(value)) return value.map((entry) => this.#hide(entry, depth + 1));
      return mapMembers(value, (member) => this.#hide(member, depth + 1));
    }
    if (typeof value === 'string' || typeof value === 'number') this.hidden?.add(String(value));
    return MASK;
  }

  #text(text: string): string {
    if (this.hidden !== undefined) for (const [, , user = ''] of text.matchAll(URL_USER)) this.#userOfUrl(user);
    if (!text.includes(':')) return this.#shows(text);
    const masked = maskUrlUser(
      text.replace(QUOTED_MEMBER, (whole: string, quote: string, name: string, colon: string, mark: string, member: string) => {
        if (!isSecretName(name)) return whole;
        this.hidden?.add(member);
        return `${quote}${name}${quote}${colon}${mark}${MASK}${mark}`;
      }),
    );
    this.#shows(masked);
    return masked;
  }

  #shows<T>(value: T): T {
    if (this.shown === undefined || (typeof value !== 'string' && typeof value !== 'number')) return value;
    const text = String(value);
    if (text.length > MAX_SHOWN_LENGTH) return value;
    this.shown.add(text);
    for (const word of text.split(/[^\p{L}\p{N}]+/u)) this.shown.add(word);
    return value;
  }

  #userOfUrl(user: string): void {
    this.hidden?.add(user);
    const password = user.slice(user.indexOf(':') + 1);
    this.hidden?.add(password);
    if (/^(?:[^%]|%[0-7][0-9a-f])*$/i.test(password)) this.hidden?.add(decodeURIComponent(password));
  }
}

/** In characters: on longer names no pattern is run, and any may match. */
const MAX_NAME_LENGTH = 256;

/** An object where a list was declared is taken for several of its elements, too. */
function memberPlaces(places: readonly SecretPlace[], name: string): SecretPlace[] {
  const found: SecretPlace[] = [];
  for (const { members, matching, otherMembers, tuple, elements } of places) {
    found.push(...(members.get(name) ?? otherMembers));
    for (const { pattern, places: matched } of matching)
      if (name.length > MAX_NAME_LENGTH || pattern?.test(name) !== false) found.push(...matched);
    for (const each of tuple) found.push(...each);
    found.push(...elements);
  }
  return found;
}

/** A list where an object was declared is taken for several of it. */
const elementPlaces = (places: readonly SecretPlace[], index: number): SecretPlace[] =>
  places.flatMap((place) => (isOfLists(place) ? (place.tuple[index] ?? place.elements) : [place]));

/** And for one of its elements. */
const inPlaceOfList = (places: readonly SecretPlace[]): SecretPlace[] =>
  places.flatMap((place) => (isOfLists(place) ? [place, ...place.tuple.flat(), ...place.elements] : [place]));

const isOfLists = ({ tuple, elements }: SecretPlace): boolean => tuple.length + elements.length > 0;
