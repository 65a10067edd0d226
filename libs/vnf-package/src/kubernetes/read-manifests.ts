import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { parse } from 'yaml';
import { DEFAULT_YAML_LIMITS } from '../refusals/limits.js';
import { PackageError } from '../refusals/package-error.js';
import { parseYaml } from '../yaml/parse-yaml.js';
import { faultsIn, type FieldFault } from './manifest-faults.js';

/** One object of a Kubernetes manifest, and where it stands. */
export interface Manifest extends ManifestPlace {
  object: JsonObject;
}

/** Where in a package an object stands. */
export interface ManifestPlace {
  /** Member of the package. */
  file: string;
  /** Counted from 1, without empty ones. */
  document: number;
  /** Which of its `items`, where the document is a List. */
  item?: number;
}

/** A {@link FieldFault}, and where it is. */
export interface ManifestFault extends ManifestPlace, FieldFault {}

/** The objects of a file, and everything that is wrong with them. */
export interface ReadManifests {
  manifests: Manifest[];
  faults: ManifestFault[];
}

/** Objects that one CNF may have. */
const MOST_OBJECTS = 500;

/** Reads the manifests of one file. Pure: what a cluster would say of them beside is the cluster's to tell. */
export function readManifests(file: string, text: string): ReadManifests {
  const read: ReadManifests = { manifests: [], faults: [] };
  let document = 0;
  for (const part of documentsIn(text)) {
    if (isEmpty(part)) continue;
    document += 1;
    readDocument({ file, document }, part, read);
  }
  if (document === 0) read.faults.push({ file, document: 1, field: '', reason: 'expected an object, the file is empty' });
  return read;
}

/** The same of several files, with what is wrong with them together: two objects of one name, or too many. */
export function readAllManifests(files: readonly { path: string; text: string }[]): ReadManifests {
  const each = files.map(({ path, text }) => readManifests(path, text));
  return { manifests: each.flatMap(({ manifests }) => manifests), faults: each.flatMap(({ faults }) => faults) };
}

/** Objects that are named twice, or are more than one VNF may have. @param namespace that of objects which name none */
export function faultsTogether(manifests: readonly Manifest[], namespace: string): ManifestFault[] {
  const seen = new Map<string, ManifestPlace>();
  const faults: ManifestFault[] = [];
  for (const { object, ...place } of manifests) {
    const { kind, name, namespace: own, group } = identityOf(object);
    const key = [group, kind, own ?? namespace, name].join(' ');
    const twin = seen.get(key);
    if (twin !== undefined)
      faults.push({ ...place, field: 'metadata.name', reason: `${kind} "${name}" stands in ${placeText(twin)}, too` });
    else seen.set(key, place);
  }
  const last = manifests.at(MOST_OBJECTS);
  if (last !== undefined) {
    const { object: _object, ...place } = last;
    faults.push({ ...place, field: '', reason: `a VNF has ${MOST_OBJECTS} objects at most, these are ${manifests.length}` });
  }
  return faults;
}

/** How an object is called. Right only of one that nothing is wrong with. */
export function identityOf({ apiVersion, kind, metadata }: JsonObject) {
  const { name, namespace } = isJsonObject(metadata) ? metadata : ({} as JsonObject);
  const version = textOf(apiVersion);
  return {
    apiVersion: version,
    group: version.includes('/') ? version.slice(0, version.indexOf('/')) : '',
    kind: textOf(kind),
    name: textOf(name),
    namespace: typeof namespace === 'string' && namespace !== '' ? namespace : undefined,
  };
}

/** For people: `Files/kubernetes/web.yaml, document 2`. */
export const placeText = ({ file, document, item }: ManifestPlace): string =>
  `${file}, document ${document}${item === undefined ? '' : `, items[${item}]`}`;

/** For people, with the field where there is one. */
export const faultText = (fault: ManifestFault): string =>
  `${placeText(fault)}${fault.field === '' ? '' : `, ${fault.field}`}: ${fault.reason}`;

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** A line that begins with `---` is a document's mark wherever it stands, in a block of text too (YAML 1.2, 9.1.2). */
const documentsIn = (text: string): string[] => text.replace(/^\uFEFF/, '').split(/^---(?=\s|$)/m);

const isEmpty = (part: string): boolean =>
  part.split('\n').every((line) => /^\s*(#.*)?$/.test(line) || /^(%|\.\.\.\s*$)/.test(line));

function readDocument(place: ManifestPlace, part: string, { manifests, faults }: ReadManifests): void {
  const parsed = parsedDocument(place, part);
  if ('fault' in parsed) {
    faults.push(parsed.fault);
    return;
  }
  for (const { item, value } of objectsOf(parsed.value)) {
    const at = item === undefined ? place : { ...place, item };
    if (!isJsonObject(value)) {
      faults.push({ ...at, field: '', reason: 'expected an object with apiVersion, kind and metadata' });
      continue;
    }
    const wrong = faultsIn(value);
    faults.push(...wrong.map((fault) => ({ ...at, ...fault })));
    if (wrong.length === 0) manifests.push({ ...at, object: value });
  }
}

/** What a List has in it; of any other object itself. */
function objectsOf(value: Json): { item?: number; value: Json }[] {
  if (!isJsonObject(value) || value.apiVersion !== 'v1' || value.kind !== 'List' || !Array.isArray(value.items))
    return [{ value }];
  return value.items.map((each, item) => ({ item, value: each }));
}

/**
 * Scalars as Kubernetes reads them: YAML 1.1 without dates and without numbers to the base 60. Looked at under limits before, and a key that
 * is given twice is wrong, as it is for a cluster that looks strictly.
 */
function parsedDocument(place: ManifestPlace, part: string): { value: Json } | { fault: ManifestFault } {
  try {
    const { text } = parseYaml(part, place.file, DEFAULT_YAML_LIMITS);
    const value = parse(text, {
      version: '1.1',
      merge: true,
      uniqueKeys: true,
      logLevel: 'error',
      prettyErrors: false,
      resolveKnownTags: false,
      customTags: (tags) =>
        tags.filter((tag) => typeof tag === 'string' || (tag.tag !== 'tag:yaml.org,2002:timestamp' && !isBase60(tag))),
    }) as unknown;
    return { value: JSON.parse(JSON.stringify(value ?? null)) as Json };
  } catch (error) {
    if (error instanceof PackageError) return { fault: { ...place, field: '', reason: error.reason } };
    if (error instanceof Error && error.name.startsWith('YAML'))
      return { fault: { ...place, field: '', reason: error.message.split('\n', 1)[0] ?? '' } };
    throw error;
  }
}

const isBase60 = (tag: object): boolean => 'format' in tag && tag.format === 'TIME';
