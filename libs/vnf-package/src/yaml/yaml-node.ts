import type { Yaml } from './parse-yaml.js';
import { PackageError, printableName, type PackageErrorCode } from '../package-error.js';

/** Characters of a single value that is read: as many as Nova takes of a server's data. */
const LONGEST_TEXT = 65_536;

/** A value of a YAML file together with where it stands, so that whatever is wrong with it is said with file and path. */
export class YamlNode {
  constructor(
    /** undefined where nothing stands at this path. */
    readonly value: Yaml | undefined,
    readonly file: string,
    readonly path: readonly string[] = [],
  ) {}

  /** True where something other than YAML's null stands. */
  get present(): boolean {
    return this.value !== undefined && !isNull(this.value);
  }

  /** The node below, by keys of maps; absent where a key is, or where what is above it is no map. */
  at(...keys: string[]): YamlNode {
    let value: Yaml | undefined = this.value;
    for (const key of keys) value = isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    return new YamlNode(value, this.file, [...this.path, ...keys]);
  }

  /** The entries of a map; none where nothing stands. @throws PackageError where something else than a map stands. */
  entries(): [string, YamlNode][] {
    if (!this.present) return [];
    if (!isMap(this.value)) throw this.wrong('should be a map');
    return Object.entries(this.value).map(([key, value]) => [key, new YamlNode(value, this.file, [...this.path, key])]);
  }

  /** The items of a list; none where nothing stands. @throws PackageError where something else than a list stands. */
  items(): YamlNode[] {
    if (!this.present) return [];
    if (!Array.isArray(this.value)) throw this.wrong('should be a list');
    return this.value.map((value, index) => new YamlNode(value, this.file, [...this.path, String(index)]));
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

  /** A whole number; undefined where nothing stands. @throws PackageError where something else stands. */
  integer(): number | undefined {
    const text = this.text();
    if (text === undefined) return undefined;
    if (!/^[+-]?\d{1,15}$/.test(text)) throw this.wrong(`should be a whole number, is ${JSON.stringify(text)}`);
    return Number(text);
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
    return new PackageError(code, `${this.where} ${reason}`, { member: this.file });
  }

  /** Where this is within its file: `topology_template.node_templates.VNF`. */
  get where(): string {
    return this.path.length === 0 ? 'the document' : printableName(this.path.join('.'));
  }
}

const isMap = (value: Yaml | undefined): value is Record<string, Yaml> => typeof value === 'object' && !Array.isArray(value);

/** YAML's spellings of null; under the failsafe schema they arrive as text. */
const isNull = (value: Yaml): boolean =>
  value === '' || value === '~' || value === 'null' || value === 'Null' || value === 'NULL';
