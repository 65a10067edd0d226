import { inspect } from 'node:util';
import { InvariantError, maskUrlUser, Secret } from '@windlass/foundation';
import { ShellScanner } from './shell-context.js';

/** What may stand in a hole of {@link cmd}. A {@link Secret} may not: it goes by stdin, environment or file. */
export type CommandValue = string | number | Command | readonly (string | number)[];

const MADE_BY_CMD = Symbol('cmd');

/** Shell text that is safe to run. Only {@link cmd} makes one. */
export class Command {
  readonly #text: string;

  /** @throws InvariantError for anyone but `cmd`. */
  constructor(
    text: string,
    readonly hasHereDocument: boolean,
    key: symbol,
  ) {
    if (key !== MADE_BY_CMD) throw new InvariantError('a Command is made by the cmd template only');
    this.#text = text;
  }

  /** POSIX sh. */
  get text(): string {
    return this.#text;
  }

  /** For people: the text, the user parts of URLs masked. */
  get display(): string {
    return maskUrlUser(this.text);
  }

  toString(): string {
    return this.display;
  }

  toJSON(): string {
    return this.display;
  }

  [inspect.custom](): string {
    return `cmd(${this.display})`;
  }
}

/**
 * One word for POSIX sh that arrives unchanged, whatever is in it.
 * @throws InvariantError for what no argument can hold: a NUL character, text that is not well-formed Unicode, a number that is not finite
 */
export function quoteWord(value: string | number): string {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new InvariantError(`${value} can't be an argument of a command: it is no finite number`);
    return quoteWord(String(value));
  }
  if (value.includes('\0')) throw new InvariantError('an argument of a command holds a NUL character, which no argument can');
  if (/\p{Surrogate}/u.test(value)) throw new InvariantError('an argument of a command is not well-formed Unicode');
  if (/^[\w/.:@%+,-]+$/.test(value) && /[A-Za-z/.]/.test(value) && !RESERVED.has(value)) return value;
  return `'${value.replaceAll("'", String.raw`'\''`)}'`;
}

/** Bare, the shell would read these as its own. */
const RESERVED = new Set('if then else elif fi do done case esac while until for in function select time coproc'.split(' '));

/**
 * The only way to make a {@link Command}: every value becomes one word that arrives unchanged, an array becomes one word an
 * entry, a Command is put in as it is. The text around the holes is the developer's own shell (escapes as in any template:
 * `\${HOME}` gives `${HOME}`).
 *
 *     cmd`kubectl label node ${name} ${labels}`
 *
 * A value that begins with a dash still arrives as an option: write `--` before it where that must not be.
 * @throws InvariantError when a hole stands where quoting doesn't hold (inside quotes, backticks, `${}`, `$(( ))`, a comment,
 *   beside a here-document, after a backslash), when a quote is not closed, or when a value is a Secret.
 */
export function cmd(strings: TemplateStringsArray, ...values: readonly CommandValue[]): Command {
  const scanner = new ShellScanner();
  let text = '';
  let hereDocument = false;
  strings.forEach((literal, index) => {
    // A template with an invalid escape has no cooked text, whatever the type says.
    if ((literal as string | undefined) === undefined)
      throw new InvariantError(`invalid escape in cmd\`${strings.raw.join('…')}\``);
    scanner.scan(literal);
    text += literal;
    if (index >= values.length) return;
    const value: unknown = values[index];
    const filled = fill(value, scanner, text, strings[index + 1] ?? '');
    hereDocument ||= value instanceof Command && value.hasHereDocument;
    if (filled !== '') scanner.word();
    text += filled;
  });
  hereDocument ||= scanner.hasHereDocument;
  if (scanner.context !== 'plain' && !hereDocument) {
    throw new InvariantError(`cmd ends inside ${scanner.context} text: ${maskUrlUser(text)}`);
  }
  if (hereDocument && values.length > 0) {
    throw new InvariantError(`cmd can't fill in values beside a here-document; give them as input or file: ${maskUrlUser(text)}`);
  }
  return new Command(text, hereDocument, MADE_BY_CMD);
}

function quoteValue(value: unknown, before: string): string {
  if (value instanceof Secret) {
    throw new InvariantError(
      `a Secret can't stand in a command line, where every user of the host sees it: give it as input, env or file (after: ${maskUrlUser(before)})`,
    );
  }
  if (typeof value === 'string' || typeof value === 'number') return quoteWord(value);
  throw new InvariantError(
    `cmd takes strings, numbers, arrays of them and Commands, not ${typeof value} (after: ${maskUrlUser(before)})`,
  );
}

function fill(value: unknown, scanner: ShellScanner, before: string, after: string): string {
  if (!['plain', 'sub'].includes(scanner.context) || scanner.endsInEscape) {
    const where = scanner.endsInEscape ? 'right after a backslash or dollar sign' : `inside ${scanner.context} text`;
    throw new InvariantError(`cmd can't fill in a value ${where}; leave quoting to it: ${maskUrlUser(before)}`);
  }
  if (value instanceof Command) return value.text;
  if (Array.isArray(value)) {
    if (!scanner.atWordStart || !/^($|[\s;|&)])/.test(after)) {
      throw new InvariantError(`cmd can't glue an array to other text: it is several words: ${maskUrlUser(before)}`);
    }
    return value.map((entry: unknown) => quoteValue(entry, before)).join(' ');
  }
  return quoteValue(value, before);
}
