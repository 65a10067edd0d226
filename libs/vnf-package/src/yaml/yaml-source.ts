import { isAlias, isMap, isScalar, isSeq, LineCounter, type Document, type Node, parseDocument } from 'yaml';

/** How the text of a package's YAML is parsed. */
export const PARSE_OPTIONS = {
  schema: 'failsafe',
  merge: true,
  uniqueKeys: false,
  prettyErrors: false, // its excerpts cost seconds on a file with thousands of errors
  logLevel: 'error',
} as const;

/** Where values stand in a file that was parsed under limits before. It is parsed again when somebody asks, since hardly anybody does. */
export class YamlSource {
  #parsed: { document: Document.Parsed; lines: LineCounter } | undefined;
  /** The members of a map by their keys: a map may have as many members as are asked for. */
  readonly #members = new WeakMap<Node, ReadonlyMap<string, { key: Node; value: Node | null }>>();

  /** What an alias stands for: the parser looks through the whole document for it. */
  readonly #targets = new WeakMap<Node, Node | undefined>();

  constructor(readonly text: string) {}

  /** Line of the value at the path, or of the nearest that stands above it. Undefined where nothing is known. */
  line(path: readonly string[]): number | undefined {
    const offset = this.#walk(path).offset;
    return offset === undefined ? undefined : this.#document().lines.linePos(offset).line;
  }

  /** Whether the scalar at the path is written in quotes or as a block: a text, whatever it looks like. */
  isText(path: readonly string[]): boolean {
    const { node } = this.#walk(path);
    return isScalar(node) && node.type !== 'PLAIN';
  }

  /** `node` is undefined where the path leads to nothing that the file has, as below an input. */
  #walk(path: readonly string[]): { node: Node | undefined; offset: number | undefined } {
    const { document } = this.#document();
    let node = this.#resolved(document.contents);
    let offset = node?.range?.[0];
    for (const key of path) {
      const member: { key: Node | null; value: Node | null } | undefined = isSeq(node)
        ? { key: null, value: (node.items[Number(key)] ?? null) as Node | null }
        : this.#membersOf(node).get(key);
      if (member === undefined) return { node: undefined, offset };
      offset = member.key?.range?.[0] ?? member.value?.range?.[0] ?? offset;
      node = this.#resolved(member.value);
    }
    return { node, offset };
  }

  #document() {
    if (this.#parsed === undefined) {
      const lines = new LineCounter();
      this.#parsed = { document: parseDocument(this.text, { ...PARSE_OPTIONS, lineCounter: lines }), lines };
    }
    return this.#parsed;
  }

  #resolved(node: Node | null | undefined): Node | undefined {
    if (!isAlias(node)) return node ?? undefined;
    if (!this.#targets.has(node)) this.#targets.set(node, node.resolve(this.#document().document));
    return this.#targets.get(node);
  }

  /** With those that are merged in, which the map's own go over. */
  #membersOf(node: Node | undefined): ReadonlyMap<string, { key: Node; value: Node | null }> {
    if (!isMap(node)) return new Map();
    const known = this.#members.get(node);
    if (known !== undefined) return known;
    const members = new Map<string, { key: Node; value: Node | null }>();
    this.#members.set(node, members); // before what is merged in: a map may be merged into itself
    const pairs = node.items as { key: Node; value: Node | null }[];
    const own = pairs.filter(({ key }) => keyOf(key) !== '<<');
    for (const { value } of pairs.filter(({ key }) => keyOf(key) === '<<')) {
      const merged = this.#resolved(value);
      for (const each of isSeq(merged) ? merged.items : [merged])
        for (const [key, member] of this.#membersOf(this.#resolved(each as Node))) members.set(key, member);
    }
    for (const pair of own) members.set(keyOf(pair.key), pair);
    return members;
  }
}

/** As it is written, since the parser makes a symbol of `<<`. */
const keyOf = (key: Node): string => (isScalar(key) ? (key.source ?? String(key.value)) : key.toString());
