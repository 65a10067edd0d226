import type { JsonObject } from '@windlass/foundation';
import { isJsonObject } from '@windlass/foundation';
import { parse, type ScalarTag, type Tags } from 'yaml';
import { DEFAULT_YAML_LIMITS } from '../refusals/limits.js';
import { PackageError } from '../refusals/package-error.js';
import { parseYaml } from './parse-yaml.js';
import { plainScalar } from './scalars.js';

/** Whose rules plain scalars follow: those of the reference system's scripts and of Heat, or those of Kubernetes. */
export type Reader = 'python' | 'kubernetes';

/** Any plain scalar: {@link plainScalar} says what it is. */
const AS_PYTHON: ScalarTag = { tag: 'tag:yaml.org,2002:plain', default: true, test: /^/, resolve: plainScalar };

/**
 * A YAML file as its reader has it: numbers, booleans and null by YAML 1.1, but dates as text, since a template's version is one.
 * For Python `y` and `n` are texts and `1:30` is 90, for Kubernetes they are truth values and a text.
 * @throws PackageError as `parseYaml`; `yaml.malformed` for one that is no map
 */
export function plainYaml(text: string, file: string, reader: Reader = 'python'): JsonObject {
  const { text: indented } = parseYaml(text, file, DEFAULT_YAML_LIMITS);
  const value: unknown = parse(indented, {
    version: '1.1',
    merge: true,
    uniqueKeys: false,
    logLevel: 'error',
    resolveKnownTags: false,
    customTags: (tags) => [...(reader === 'python' ? [AS_PYTHON] : []), ...tags.filter((tag) => !isTime(tag))],
  });
  if (isJsonObject(value)) return value;
  throw new PackageError('yaml.malformed', 'is no map', { member: file });
}

/** Dates, and numbers to the base 60. */
const isTime = (tag: Tags[number]): boolean =>
  typeof tag !== 'string' && (tag.tag === 'tag:yaml.org,2002:timestamp' || ('format' in tag && tag.format === 'TIME'));

/** A line that ends a document wherever it stands, in a text of many lines too. */
const DOCUMENT = /^(?:---|\.\.\.)(?=\s|$)/m;

/** The documents of a YAML file that have something in them beside comments and directives, each as a text for {@link plainYaml}. */
export const yamlDocuments = (text: string): string[] =>
  text
    .replace(/^\uFEFF/, '')
    .split(DOCUMENT)
    .filter((document) => document.split('\n').some((line) => !/^\s*(#.*|%YAML.*)?$/.test(line)));
