import type { JsonObject } from '@windlass/foundation';
import { isJsonObject } from '@windlass/foundation';
import { parse } from 'yaml';
import { DEFAULT_YAML_LIMITS } from '../limits.js';
import { PackageError } from '../package-error.js';
import { parseYaml } from './parse-yaml.js';

/**
 * A YAML file as the reference system's scripts have it: numbers, booleans and null by YAML 1.1, but dates as text, since a template's version is one.
 * @throws PackageError as `parseYaml`; `yaml.malformed` for one that is no map
 */
export function plainYaml(text: string, file: string): JsonObject {
  const { text: indented } = parseYaml(text, file, DEFAULT_YAML_LIMITS);
  const value: unknown = parse(indented, {
    version: '1.1',
    merge: true,
    uniqueKeys: false,
    logLevel: 'error',
    resolveKnownTags: false,
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || tag.tag !== 'tag:yaml.org,2002:timestamp'),
  });
  if (isJsonObject(value)) return value;
  throw new PackageError('yaml.malformed', 'is no map', { member: file });
}

/** A line that ends a document wherever it stands, in a text of many lines too. */
const DOCUMENT = /^(?:---|\.\.\.)(?=\s|$)/m;

/** The documents of a YAML file that have something in them beside comments and directives, each as a text for {@link plainYaml}. */
export const yamlDocuments = (text: string): string[] =>
  text
    .replace(/^\uFEFF/, '')
    .split(DOCUMENT)
    .filter((document) => document.split('\n').some((line) => !/^\s*(#.*|%YAML.*)?$/.test(line)));
