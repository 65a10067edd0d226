import { MASK } from './mask.js';
import { maskNamedValues } from './named-values.js';
import { isPlainWord } from './plain-words.js';
import { inBase64, spellingsOf } from './secret-spellings.js';

/** Shorter secrets are looked for nowhere: they would be found by chance everywhere. They are masked at their places alone. */
export const MIN_KNOWN_LENGTH = 3;

/** Longer secrets, files as a whole, are looked for one by one: what is read at once is kept character by character. */
const MAX_READ_AT_ONCE = 4_096;

/** Shorter secrets of letters and digits are looked for as words: inside others (`per***ed`) the mask would tell them. */
const WORD_LENGTH = 8;
const IS_WORD = /^[\p{L}\p{N}]+$/u;
const IS_LETTERS = /^\p{L}+$/u;

/**
 * Where a secret is taken for one.
 * - `anywhere`: also inside other words, and across a line's end.
 * - `word`: where no letter or digit is beside it.
 * - `token`: and where it is no part of a name, `x-playbook`, `/home/x`, `x.example`.
 * - `option`: only behind an option of one letter, `mysql -px`: for words that ordinary messages have.
 */
type Where = 'anywhere' | 'word' | 'token' | 'option';

interface Sought {
  text: string;
  where: Where;
}

/**
 * Secrets that are looked for in foreign texts: outputs of commands, words of VIMs and drivers. A text is read once, however many secrets there
 * are (Aho and Corasick's way), and a line's end within a secret hides it from nobody.
 *
 * A secret that is a word of ordinary messages (`ubuntu`, `ansible`, `failed`) is not looked for by itself: who knows what a message says where
 * nothing is masked would read the secret from the mask. It is masked where a text names a value as a secret ({@link maskNamedValues}).
 */
export class SecretTexts {
  readonly #next = new Map<number, number>();
  readonly #fail = [0];
  /** Of each node the secret that ends there, and the nearest shorter node where another one ends. */
  readonly #ends: (Sought | undefined)[] = [undefined];
  readonly #shorter = [0];
  readonly #long: string[] = [];

  constructor(secrets: Iterable<string>) {
    const sought = new Map<string, Where>();
    // What is sought anywhere is not sought in fewer places because another secret is spelled so.
    for (const secret of new Set(secrets)) {
      if (secret.length > MAX_READ_AT_ONCE) this.#long.push(secret, ...spellingsOf(secret));
      else for (const { text, where } of soughtFor(secret)) if (sought.get(text) !== 'anywhere') sought.set(text, where);
    }
    this.#long.sort((a, b) => b.length - a.length);
    for (const [text, where] of sought) this.#insert({ text, where });
    this.#link();
  }

  /** The text with each of them masked, and what names itself a secret. Linear in the length of the text. */
  mask(text: string): string {
    const shorter = this.#long.reduce((left, long) => (left.length < long.length ? left : left.replaceAll(long, MASK)), text);
    return maskNamedValues(this.#maskKnown(shorter));
  }

  #maskKnown(text: string): string {
    if (this.#ends.length === 1) return text;
    const { joined, positions } = withoutLineEnds(text);
    const spans = merged(this.#found(joined, text, positions));
    let shown = '';
    let from = 0;
    for (const [start, end] of spans) {
      shown += text.slice(from, start) + MASK;
      from = end;
    }
    return shown + text.slice(from);
  }

  #insert(sought: Sought): void {
    let node = 0;
    for (let at = 0; at < sought.text.length; at++) {
      const key = edge(node, sought.text.charCodeAt(at));
      let next = this.#next.get(key);
      if (next === undefined) {
        next = this.#ends.push(undefined) - 1;
        this.#next.set(key, next);
      }
      node = next;
    }
    this.#ends[node] = sought;
  }

  /** Where to go on when a text leaves a secret half-way. Nodes lie in the map in an order in which a parent comes before its children. */
  #link(): void {
    const children: ([parent: number, code: number, child: number][] | undefined)[] = [];
    const depths = [0];
    for (const [key, child] of this.#next) {
      const parent = Math.floor(key / CODES);
      const depth = (depths[parent] ?? 0) + 1;
      depths[child] = depth;
      (children[depth] ??= []).push([parent, key % CODES, child]);
    }
    for (const level of children)
      for (const [parent, code, child] of level ?? []) {
        const fail = parent === 0 ? 0 : this.#step(this.#fail[parent] ?? 0, code);
        this.#fail[child] = fail;
        this.#shorter[child] = this.#ends[fail] === undefined ? (this.#shorter[fail] ?? 0) : fail;
      }
  }

  #step(from: number, code: number): number {
    let node = from;
    for (;;) {
      const next = this.#next.get(edge(node, code));
      if (next !== undefined) return next;
      if (node === 0) return 0;
      node = this.#fail[node] ?? 0;
    }
  }

  /** Places in the text, in the order of their ends. */
  *#found(joined: string, text: string, positions: Int32Array | undefined): Generator<[start: number, end: number]> {
    const place = (at: number): number => positions?.[at] ?? at;
    let node = 0;
    for (let at = 0; at < joined.length; at++) {
      node = this.#step(node, joined.charCodeAt(at));
      for (
        let end = this.#ends[node] === undefined ? (this.#shorter[node] ?? 0) : node;
        end !== 0;
        end = this.#shorter[end] ?? 0
      ) {
        const sought = this.#ends[end];
        if (sought === undefined) continue;
        const span: [number, number] = [place(at - sought.text.length + 1), place(at) + 1];
        // The longest that counts; shorter ones that end here lie within it.
        if (!counts(sought, text, span)) continue;
        yield span;
        break;
      }
    }
  }
}

const CODES = 0x1_0000;
const edge = (node: number, code: number): number => node * CODES + code;

function soughtFor(secret: string): Sought[] {
  const text = withoutLineEnds(secret).joined;
  if (text.length < MIN_KNOWN_LENGTH) return [];
  if (isPlainWord(text)) return [{ text, where: 'option' }, ...inBase64(secret).map(anywhere)];
  return [{ text, where: whereOf(text) }, ...spellingsOf(secret).map(anywhere)];
}

const anywhere = (spelled: string): Sought => ({ text: withoutLineEnds(spelled).joined, where: 'anywhere' });

function whereOf(text: string): Where {
  if (text.length >= WORD_LENGTH || !IS_WORD.test(text)) return 'anywhere';
  return IS_LETTERS.test(text) ? 'token' : 'word';
}

/** A letter or digit, also one outside the basic plane. */
const isOfWord = (sign: string): boolean => /[\p{L}\p{N}\p{Surrogate}]/u.test(sign);
const JOINS = /[-_./]/;

function counts({ text: sought, where }: Sought, text: string, [start, end]: [number, number]): boolean {
  if (where === 'anywhere') return true;
  if (end - start !== sought.length) return false;
  const before = text.slice(Math.max(0, start - 3), start);
  const next = text.charAt(end);
  const afterNext = text.charAt(end + 1);
  if (isOfWord(next)) return false;
  const isOption = /(?:^|\s)-[A-Za-z]$/.test(before);
  if (where === 'option' || isOption) return isOption && !(JOINS.test(next) && isOfWord(afterNext));
  const last = before.at(-1) ?? '';
  // Behind an escape of JSON (`\nhunter2`) a word begins.
  if (isOfWord(last)) return /\\[bfnrt]$/.test(before);
  if (where === 'word') return true;
  if (JOINS.test(next) && isOfWord(afterNext)) return false;
  return last !== '/' && !(JOINS.test(last) && isOfWord(before.at(-2) ?? ''));
}

/** A text without its line ends and the blanks that begin the next line, and where each of its characters was. */
function withoutLineEnds(text: string): { joined: string; positions: Int32Array | undefined } {
  if (!/[\r\n]/.test(text)) return { joined: text, positions: undefined };
  const positions = new Int32Array(text.length);
  const parts: string[] = [];
  let length = 0;
  for (const { index, 0: part } of text.matchAll(/[^\r\n]+/g)) {
    const blanks = index === 0 ? 0 : part.length - part.replace(/^[ \t]+/, '').length;
    parts.push(part.slice(blanks));
    for (let at = index + blanks; at < index + part.length; at++) positions[length++] = at;
  }
  return { joined: parts.join(''), positions };
}

/** Spans that overlap are one. They come in the order of their ends. */
function merged(spans: Iterable<[number, number]>): [number, number][] {
  const apart: [number, number][] = [];
  for (const [start, end] of spans) {
    let first = start;
    for (let last = apart.at(-1); last !== undefined && last[1] > first; last = apart.at(-1)) {
      first = Math.min(first, last[0]);
      apart.pop();
    }
    apart.push([first, end]);
  }
  return apart;
}

/** Lists of secrets are made once and looked for in many texts. */
const known = new WeakMap<readonly unknown[], { length: number; texts: SecretTexts }>();

/**
 * The text with every occurrence of the secrets masked, in the spellings of {@link spellingsOf}; see {@link SecretTexts} for what is taken for
 * one. The list must not be changed afterwards but for what is added to it.
 */
export function maskSecrets(text: string, secrets: readonly (string | { reveal(): string })[]): string {
  if (secrets.length === 0) return text;
  const found = known.get(secrets);
  if (found?.length === secrets.length) return found.texts.mask(text);
  const texts = new SecretTexts(secrets.map((secret) => (typeof secret === 'string' ? secret : secret.reveal())));
  known.set(secrets, { length: secrets.length, texts });
  return texts.mask(text);
}
