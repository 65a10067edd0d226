import type { Yaml } from './parse-yaml.js';
import { booleanOf, integerOf, numericOf, plainScalar } from './scalars.js';
import type { YamlSource } from './yaml-source.js';
import { PackageError, printableName, type PackageErrorCode } from '../refusals/package-error.js';

/** Characters of a single value that is read: as many as Nova takes of a server's data. */
const LONGEST_TEXT = 65_536;

/** Characters of a value that a message quotes. */
const LONGEST_QUOTED = 100;

/** A value of a YAML file together with where it stands, so that whatever is wrong with it is said with file and path. */
export class YamlNode {
  constructor(
    /** undefined where nothing stands at this path. */
    readonly value: Yaml | undefined,
    readonly file: string,
    readonly path: readonly string[] = [],
    /** The text that the path leads through; absent where there is none, as in a file that Windlass made. */
    private readonly source?: YamlSource,
  ) {}

  /** True where something other than YAML's null stands. */
  get present(): boolean {
    if (typeof this.value !== 'string' || plainScalar(this.value) !== null) return this.value !== undefined;
    return this.value !== '' && this.#isText;
  }

  /** The node below, by keys of maps; absent where a key is, or where what is above it is no map. */
  at(...keys: string[]): YamlNode {
    let value: Yaml | undefined = this.value;
    for (const key of keys) value = isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    return this.#below(value, keys);
  }

  /** The entries of a map; none where nothing stands. @throws PackageError where something else than a map stands. */
  entries(): [string, YamlNode][] {
    if (!this.present) return [];
    if (!isMap(this.value)) throw this.wrong('should be a map');
    return Object.entries(this.value).map(([key, value]) => [key, this.#below(value, [key])]);
  }

  /** The items of a list; none where nothing stands. @throws PackageError where something else than a list stands. */
  items(): YamlNode[] {
    if (!this.present) return [];
    if (!Array.isArray(this.value)) throw this.wrong('should be a list');
    return this.value.map((value, index) => this.#below(value, [String(index)]));
  }

  /** Named things as TOSCA writes them: a map, or (policies, requirements) a list of maps with mostly one key each. */
  named(): [string, YamlNode][] {
    return Array.isArray(this.value) ? this.items().flatMap((item) => item.entries()) : this.entries();
  }

  get isMap(): boolean {
    return isMap(this.value);
  }

  get isList(): boolean {
    return Array.isArray(this.value);
  }

  /** A scalar as it is written; undefined where nothing stands. @throws PackageError where a map or a list stands, or a very long text. */
  text(): string | undefined {
    if (!this.present) return undefined;
    if (typeof this.value === 'string') {
      if (this.value.length > LONGEST_TEXT)
        throw this.wrong(`has ${this.value.length} characters; at most ${LONGEST_TEXT} are read`);
      return this.value;
    }
    const input = this.at('get_input');
    throw this.wrong(
      input.present ? `needs the input ${JSON.stringify(input.value)}, which has no value` : 'should be a single value',
    );
  }

  /** @throws PackageError where no text stands. */
  requiredText(): string {
    const text = this.text();
    if (text === undefined || text === '') throw this.wrong('is missing');
    return text;
  }

  /** `true` or `false` as YAML 1.1 spells them; undefined where nothing stands. @throws PackageError where something else stands. */
  boolean(): boolean | undefined {
    return this.#scalar('true or false', booleanOf);
  }

  /** A whole number as YAML 1.1 spells them: `017` is 15. Undefined where nothing stands. @throws PackageError where something else stands. */
  integer(): number | undefined {
    return this.#scalar('a whole number', integerOf);
  }

  /** The same, and undefined where something else stands. */
  asInteger(): number | undefined {
    return this.present && typeof this.value === 'string' ? integerOf(this.value, this.#isText) : undefined;
  }

  /** A number as YAML 1.1 spells them; undefined where nothing stands. @throws PackageError where something else stands. */
  number(): number | undefined {
    return this.#scalar('a number', numericOf);
  }

  #scalar<T>(what: string, read: (text: string, quoted: boolean) => T | undefined): T | undefined {
    const text = this.text();
    if (text === undefined) return undefined;
    const value = read(text, this.#isText);
    if (value === undefined) throw this.wrong(`should be ${what}, is ${printed(text)}${this.#isText ? ' in quotes' : ''}`);
    return value;
  }

  /** A number of instances or levels. @throws PackageError where it is missing or negative. */
  requiredCount(): number {
    const count = this.integer();
    if (count === undefined) throw this.wrong('is missing');
    if (count < 0) throw this.wrong(`should not be negative, is ${count}`);
    return count;
  }

  /** An error about this place. */
  wrong(reason: string, code: PackageErrorCode = 'vnfd.invalid'): PackageError {
    const line = this.line === undefined ? '' : ` (line ${this.line})`;
    return new PackageError(code, `${this.where} ${reason}${line}`, { member: this.file });
  }

  /** The line that it stands in, or where nothing stands the line of what is around it; undefined where there is no text. */
  get line(): number | undefined {
    return this.source?.line(this.path);
  }

  /** The text of the file; undefined where there is none. */
  get fileText(): string | undefined {
    return this.source?.text;
  }

  /** The same place with a value that was made from what stands there. */
  withValue(value: Yaml | undefined): YamlNode {
    return new YamlNode(value, this.file, this.path, this.source);
  }

  get #isText(): boolean {
    return this.source?.isText(this.path) ?? false;
  }

  #below(value: Yaml | undefined, keys: readonly string[]): YamlNode {
    return new YamlNode(value, this.file, [...this.path, ...keys], this.source);
  }

  /** Where this is within its file: `topology_template.node_templates.VNF`. */
  get where(): string {
    return this.path.length === 0 ? 'the document' : printableName(this.path.join('.'));
  }
}

const isMap = (value: Yaml | undefined): value is Record<string, Yaml> => typeof value === 'object' && !Array.isArray(value);

/** What stands there, as much of it as a message should quote. */
const printed = (text: string): string =>
  JSON.stringify(text.length > LONGEST_QUOTED ? `${text.slice(0, LONGEST_QUOTED)}...` : text);
