import { CST, type Document, Lexer, LineCounter, parseDocument } from 'yaml';
import { UNSTORABLE } from '../archive/member-text.js';
import { PARSE_OPTIONS } from './yaml-source.js';
import type { YamlLimits } from '../refusals/limits.js';
import { PackageError, printableName } from '../refusals/package-error.js';

/** A YAML value of which every scalar is still the text that the author wrote: `1.0` stays `1.0`, `0644` stays `0644`. */
export type Yaml = string | Yaml[] | { [key: string]: Yaml };

export interface ParsedYaml {
  readonly value: Yaml;
  /** What was parsed: the file's text, with lines of `[...]` and `{...}` indented where YAML 1.2 wants it. */
  readonly text: string;
  /** The syntax tree, for edits that leave the rest of the text as it is. */
  readonly document: Document.Parsed;
}

/**
 * Parses one YAML document of a package under limits.
 *
 * Scalars stay text (the failsafe schema): TOSCA and Heat read YAML 1.1, where `on`, `012` and dates mean something else than in
 * YAML 1.2: `scalars.ts` says what, to whoever needs a number or a truth value. Keys given twice: the last wins, as the reference system's parser has it.
 * The lexer's tokens are counted and their nesting is measured *before* the parser runs, since some 5,000 levels take the whole
 * process down ("RegExpCompiler Allocation failed"), not just the parser.
 * @throws PackageError `yaml.*`, naming the file and where possible the line.
 */
export function parseYaml(text: string, file: string, limits: YamlLimits): ParsedYaml {
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.bytes) {
    throw new PackageError('yaml.too-large', `is ${bytes} bytes of YAML; at most ${limits.bytes} are accepted`, { member: file });
  }
  const indented = indentFlows(text, file, limits);
  const lines = new LineCounter();
  const document = parseDocument(indented, { ...PARSE_OPTIONS, lineCounter: lines });
  const error = document.errors[0];
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    const code = error.code === 'MULTIPLE_DOCS' ? 'yaml.several-documents' : 'yaml.malformed';
    throw new PackageError(code, `line ${line}, column ${col}: ${error.message}`, { member: file });
  }
  const value = toValue(document, file, limits);
  refuseExpansion(value, file, limits);
  return { value, text: indented, document };
}

function toValue(document: Document.Parsed, file: string, limits: YamlLimits): Yaml {
  try {
    return (document.toJS({ maxAliasCount: limits.anchors }) as Yaml | null) ?? '';
  } catch (error) {
    throw new PackageError(
      'yaml.expansion',
      `its aliases can't be expanded: ${error instanceof Error ? error.message : String(error)}`,
      {
        member: file,
        cause: error,
      },
    );
  }
}

/** Walks the value as if every alias were a copy. A bomb, or an alias inside of its own anchor, has no end; the walk has. */
function refuseExpansion(value: Yaml, file: string, limits: YamlLimits): void {
  const open: Yaml[] = [value];
  let characters = 0;
  for (let seen = 0; ; seen += 1) {
    const next = open.pop();
    if (next === undefined) return;
    if (seen > limits.values) {
      throw new PackageError('yaml.expansion', `expands to more than ${limits.values} values`, { member: file });
    }
    characters += ownCharacters(next);
    if (characters > limits.characters) {
      const reason = `expands to more than ${limits.characters} characters`;
      throw new PackageError('yaml.expansion', reason, { member: file });
    }
    refuseUnstorable(next, value, file);
    if (typeof next === 'string') continue;
    for (const member of Array.isArray(next) ? next : Object.values(next)) open.push(member);
  }
}

/** Escapes (`"\\0"`, `"\\ud800"`) can make what the file itself can't have. */
function refuseUnstorable(found: Yaml, root: Yaml, file: string): void {
  const key =
    typeof found === 'object' && !Array.isArray(found) ? Object.keys(found).find((name) => UNSTORABLE.test(name)) : undefined;
  if (key === undefined && !(typeof found === 'string' && UNSTORABLE.test(found))) return;
  const what = key === undefined ? '' : 'a name in ';
  const place = printableName(placeOf(found, root));
  const reason = `${what}${place} has a NUL character or half of a surrogate pair, which no text here can hold: take it out`;
  throw new PackageError('text.nul', reason, { member: file });
}

/** Where the first such value stands: `topology_template.inputs`. The walk is the one that came by it, which has an end. */
function placeOf(found: Yaml, root: Yaml): string {
  const open: [Yaml, string][] = [[root, '']];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, at] = next;
    if (value === found) return at === '' ? 'the document' : at.slice(1);
    if (typeof value === 'string') continue;
    for (const [key, member] of Object.entries(value)) open.push([member, `${at}.${key}`]);
  }
  return 'the document';
}

/** A text's characters, or those of a map's keys. */
const ownCharacters = (value: Yaml): number => {
  if (typeof value === 'string') return value.length;
  return Array.isArray(value) ? 0 : Object.keys(value).reduce((sum, key) => sum + key.length, 0);
};

/** Each repair lexes the file anew; ETSI's own type file needs one. */
const MAX_REPAIRS = 20;

/**
 * YAML 1.1 lets the lines of a flow collection begin anywhere, YAML 1.2 wants them indented; ETSI's type file of SOL001 v2.6.1 has
 * such a line in column 0, and so has every package that carries it.
 */
function indentFlows(text: string, file: string, limits: YamlLimits): string {
  let repaired = text;
  for (let repairs = 0; repairs < MAX_REPAIRS; repairs += 1) {
    const fault = measureTokens(repaired, file, limits);
    if (fault === undefined) return repaired;
    repaired = repaired.slice(0, fault.offset) + ' '.repeat(fault.indent) + repaired.slice(fault.offset);
  }
  return repaired; // the parser complains of the next such line
}

/**
 * One pass over the lexer's tokens: how many, how many that cost the parser dear, how deeply nested.
 * Returns where a line of a flow collection begins too far left, and how many blanks it lacks.
 */
function measureTokens(text: string, file: string, limits: YamlLimits): { offset: number; indent: number } | undefined {
  const refuse = (code: PackageError['code'], reason: string) => new PackageError(code, reason, { member: file });
  const nesting = new Nesting();
  let tokens = 0;
  let marks = 0;
  let offset = 0;
  let type: CST.TokenType | null = null;
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    type = type === 'scalar' ? null : CST.tokenType(token); // what follows the mark of a scalar is its text, whatever it looks like
    if (type === 'anchor' || type === 'alias' || type === 'tag') marks += 1;
    if (type === 'flow-error-end' && offset < text.length) return { offset, indent: nesting.flowColumn + 1 };
    nesting.take(token, type);
    if (!isControl(type)) offset += token.length;
    if (tokens > limits.tokens) throw refuse('yaml.too-large', `has more than ${limits.tokens} tokens`);
    if (marks > limits.anchors) throw refuse('yaml.expansion', `has more than ${limits.anchors} anchors, aliases and tags`);
    if (nesting.depth > limits.depth) throw refuse('yaml.too-deep', `is nested more than ${limits.depth} levels deep`);
  }
  return undefined;
}

/** Tokens of the lexer that stand for no text of the file. */
const isControl = (type: CST.TokenType | null): boolean => type === 'doc-mode' || type === 'flow-error-end' || type === 'scalar';

/**
 * An upper bound of how deeply a text is nested, from its tokens alone. In a block every level begins further right than the one
 * around it, so the open columns are a stack; a level begins at a line's first token or behind a leading `-`, `?` or `:`.
 */
class Nesting {
  readonly #columns: number[] = [];
  #flow = 0;
  #column = 0;
  #leading = true;
  /** Column of the outermost open `[` or `{`. */
  flowColumn = 0;

  get depth(): number {
    return this.#columns.length + this.#flow;
  }

  /** `type` is null for the text of a scalar. */
  take(token: string, type: CST.TokenType | null): void {
    if (type === 'flow-map-start' || type === 'flow-seq-start') {
      if (this.#flow === 0) this.flowColumn = this.#column;
      this.#flow += 1;
    }
    if (type === 'flow-map-end' || type === 'flow-seq-end') this.#flow = Math.max(0, this.#flow - 1);
    if (type !== 'space' && type !== 'comment' && type !== 'newline' && type !== 'byte-order-mark') this.#content(type);
    if (!isControl(type)) this.#advance(token);
  }

  #content(type: CST.TokenType | null): void {
    if (this.#leading && this.#flow === 0) this.#open();
    if (!isControl(type)) this.#leading &&= type === 'seq-item-ind' || type === 'explicit-key-ind' || type === 'map-value-ind';
  }

  #open(): void {
    while ((this.#columns.at(-1) ?? -1) > this.#column) this.#columns.pop();
    if (this.#columns.at(-1) !== this.#column) this.#columns.push(this.#column);
  }

  #advance(token: string): void {
    const newline = token.lastIndexOf('\n');
    this.#column = newline < 0 ? this.#column + token.length : token.length - newline - 1;
    if (newline >= 0) this.#leading = true;
  }
}
