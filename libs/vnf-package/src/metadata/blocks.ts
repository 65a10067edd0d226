import { PackageError } from '../refusals/package-error.js';

/** One paragraph of `Name: value` lines in TOSCA.meta or a manifest. */
export interface Block {
  /** Line on which it begins, from 1. */
  readonly line: number;
  /** Values by lower-case name. */
  readonly fields: ReadonlyMap<string, string>;
  /** The lines that they stand on, from 1. */
  readonly lines: ReadonlyMap<string, number>;
}

/** Names that begin an artifact's block: a second one ends the block before, so that a forgotten blank line hides no hash. */
const BLOCK_BEGINNERS: ReadonlySet<string> = new Set(['name', 'source']);
/** What is taken from a block: two different values would leave open which one is meant. */
const SAID_ONCE: ReadonlySet<string> = new Set([
  'entry-definitions',
  'etsi-entry-manifest',
  'entry-manifest',
  'etsi-entry-certificate',
  'entry-certificate',
  'algorithm',
  'hash',
]);

/**
 * Splits the text of a TOSCA.meta or `.mf` file (SOL004 4.3.2, 4.1.2.3; TOSCA 1.0 16.2) into its blocks. A CMS signature at the end
 * is left out (`manifestSignature` reads it).
 * @throws PackageError `meta.malformed` for a line that is no `Name: value`, and for one that contradicts another of its block.
 */
export function parseBlocks(text: string, file: string): Block[] {
  const blocks: Block[] = [];
  let fields = new Map<string, string>();
  let lines = new Map<string, number>();
  let line = 1;
  const close = () => {
    if (fields.size > 0) blocks.push({ line, fields, lines }, ...digestBlocks(fields, lines));
    fields = new Map();
    lines = new Map();
  };
  for (const [index, raw] of text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/)
    .entries()) {
    if (raw.startsWith('-----BEGIN ')) break;
    const content = raw.trim();
    if (content.startsWith('#')) continue;
    if (content === '') {
      close();
      continue;
    }
    const [name, value] = splitLine(content, file, index + 1);
    if (fields.has(name) && BLOCK_BEGINNERS.has(name)) close();
    if (fields.size === 0) line = index + 1;
    const said = fields.get(name);
    if (SAID_ONCE.has(name) && said !== undefined && said !== value) throw saidTwice(file, name, lines.get(name), index + 1);
    fields.set(name, value);
    lines.set(name, index + 1);
  }
  close();
  return blocks;
}

/** A line that gives a hash by the name of its algorithm, as manifests of jars do: `SHA-256-Digest: <base64>`. */
const DIGEST_LINE = /^(sha-?[0-9][0-9/-]*?|md-?5)(?:-digest|-hash|-checksum)?$/;

export const isDigestName = (name: string): boolean => DIGEST_LINE.test(name);

/** Each hash of a block that stands under its algorithm's name, as a block of its own: there may be several of one file. */
function digestBlocks(fields: Block['fields'], lines: Block['lines']): Block[] {
  return [...fields].flatMap(([name, value]): Block[] => {
    const algorithm = DIGEST_LINE.exec(name)?.[1]?.toUpperCase();
    if (algorithm === undefined) return [];
    const line = lines.get(name) ?? 0;
    const subject = [...fields].filter(([key]) => BLOCK_BEGINNERS.has(key));
    const claim = [...subject, ['algorithm', algorithm] as const, ['hash', hexOf(value)] as const];
    return [{ line, fields: new Map(claim), lines: new Map([['hash', line]]) }];
  });
}

/** Base64 of 28 to 64 bytes as hexadecimal digits; another value stays. */
function hexOf(value: string): string {
  if (/^[0-9a-f]*$/i.test(value) || !/^[A-Za-z0-9+/]{38,86}={0,2}$/.test(value)) return value;
  return Buffer.from(value, 'base64').toString('hex');
}

const saidTwice = (file: string, name: string, first: number | undefined, second: number): PackageError =>
  new PackageError(
    'meta.malformed',
    `line ${second} gives ${name} another value than line ${first ?? 0} does, in one block: keep one of them, or separate the blocks by an empty line`,
    { member: file },
  );

function splitLine(content: string, file: string, line: number): [string, string] {
  const colon = content.indexOf(':');
  if (colon <= 0) {
    throw new PackageError(
      'meta.malformed',
      `line ${line} should be "Name: value", is ${JSON.stringify(content.slice(0, 100))}`,
      {
        member: file,
      },
    );
  }
  const value = content.slice(colon + 1).trim();
  const quoted = /^(["'])(.*)\1$/.exec(value);
  const name = content.slice(0, colon).replace(/^-\s+/, ''); // as an item of a YAML list has it
  return [name.trim().toLowerCase(), quoted?.[2] ?? value];
}
