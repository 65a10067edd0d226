import { isJsonObject, RequestError, type InvalidParam, type JsonObject } from '@windlass/foundation';
import type { PackageFile } from '@windlass/mgmt-driver';
import { faultsTogether, faultText, readAllManifests, type Manifest, type ManifestFault } from '@windlass/vnf-package';
import type { PackageRecord } from '../ports.js';
import type { ScriptFile } from '../stack/user-data-actions.js';
import { DEF_FILES, NAMESPACE } from '../records/on-kubernetes.js';

const PATH = `/additionalParams/${DEF_FILES}`;

/** Files that one VNF may name. */
const MOST_FILES = 100;
/** The most faults in one answer. Further faults show at the next request. */
const MOST_FAULTS = 20;

/** Where objects go that name no namespace, as kubectl has it. */
const DEFAULT_NAMESPACE = 'default';

/** Reads a text file of a package. */
export type ReadText = (vnfPkgId: string, path: string) => Promise<string>;

/** Parameters that OpenStack's VNFs have, and that would have no effect here. */
const OF_STACKS = ['lcm-operation-user-data', 'lcm-operation-user-data-class', 'nfv'];

/** The namespace of a request whose parameters were checked. */
export const namespaceOf = ({ [NAMESPACE]: given }: JsonObject): string =>
  typeof given === 'string' && given !== '' ? given : DEFAULT_NAMESPACE;

/** The packaged files that the parameters name, in their order. Right only of parameters that were checked. */
export function manifestFiles(params: JsonObject, files: readonly PackageFile[]): ScriptFile[] {
  const named = Array.isArray(params[DEF_FILES]) ? params[DEF_FILES] : [];
  return named.flatMap((name) => {
    const found = files.find(({ path }) => path === memberOf(name));
    return found === undefined ? [] : [{ path: found.path, size: found.size, sha256: found.sha256 }];
  });
}

const memberOf = (name: unknown): string => (typeof name === 'string' ? name.replace(/^\.\//, '') : '');

/**
 * The manifests of a request to instantiate on a cluster.
 * @throws RequestError 400 `kubernetes.wrong-parameters` with the path of each parameter that is wrong, `kubernetes.wrong-manifests` with file,
 * document and field of everything in them that is
 */
export async function checkedManifests(
  params: JsonObject | undefined,
  record: PackageRecord,
  readText: ReadText,
): Promise<{ manifests: Manifest[] }> {
  const given = params ?? {};
  refuse('kubernetes.wrong-parameters', wrongParameters(given, record.files));
  const named = manifestFiles(given, record.files);
  const texts: { path: string; text: string }[] = [];
  for (const { path } of named) texts.push({ path, text: await readText(record.id, path) });
  const { manifests, faults } = readAllManifests(texts);
  const all = faults.length > 0 ? faults : faultsTogether(manifests, namespaceOf(given));
  refuse(
    'kubernetes.wrong-manifests',
    all.slice(0, MOST_FAULTS).map((fault) => asInvalid(fault, named)),
  );
  return { manifests };
}

const asInvalid = (fault: ManifestFault, named: readonly ScriptFile[]): InvalidParam => ({
  path: `${PATH}/${named.findIndex(({ path }) => path === fault.file)}`,
  reason: faultText(fault),
});

function wrongParameters(params: JsonObject, files: readonly PackageFile[]): InvalidParam[] {
  const wrong = ofStacks(params, OF_STACKS);
  const namespace = params[NAMESPACE];
  if (namespace !== undefined && (typeof namespace !== 'string' || !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace)))
    wrong.push({
      path: `/additionalParams/${NAMESPACE}`,
      reason: 'expected the name of a namespace: small letters, digits and "-"',
    });
  const named = params[DEF_FILES];
  if (named === undefined)
    return [...wrong, { path: PATH, reason: 'missing: a VNF on a Kubernetes cluster is made of the manifests that it names' }];
  if (!Array.isArray(named) || named.length === 0 || named.length > MOST_FILES)
    return [...wrong, { path: PATH, reason: `expected a list of 1 to ${MOST_FILES} files of the package` }];
  const known = files.map(({ path }) => path).filter((path) => /\.(ya?ml|json)$/.test(path));
  return [...wrong, ...named.flatMap((name, index) => wrongFile(name, named, files, known, `${PATH}/${index}`))];
}

function wrongFile(
  name: unknown,
  named: readonly unknown[],
  files: readonly PackageFile[],
  known: readonly string[],
  path: string,
): InvalidParam[] {
  if (typeof name !== 'string') return [{ path, reason: 'expected the path of a file of the package' }];
  if (/^[a-z]+:\/\//i.test(name))
    return [{ path, reason: `"${name}" is a URL: manifests are files of the package, with hashes` }];
  if (named.filter((other) => memberOf(other) === memberOf(name)).length > 1)
    return [{ path, reason: `"${name}" is named twice` }];
  if (files.some((file) => file.path === memberOf(name))) return [];
  const others = known.slice(0, MOST_FAULTS).join(', ') || 'none';
  return [{ path, reason: `the package has no file "${name}"; of YAML and JSON it has ${others}` }];
}

function refuse(code: string, invalidParams: InvalidParam[]): void {
  if (invalidParams.length === 0) return;
  const detail = invalidParams.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
  throw new RequestError(400, code, detail, { invalidParams });
}

/** @throws RequestError 400 `kubernetes.wrong-parameters` with the path of each parameter that is for stacks alone */
export function refuseOfStacks(params: JsonObject, others: readonly string[] = []): void {
  refuse('kubernetes.wrong-parameters', ofStacks(params, [...OF_STACKS, ...others]));
}

const ofStacks = (params: JsonObject, names: readonly string[]): InvalidParam[] =>
  names
    .filter((name) => params[name] !== undefined)
    .map((name) => ({
      path: `/additionalParams/${name}`,
      reason: 'is for VNFs on OpenStack, and has no effect on a Kubernetes cluster: leave it out',
    }));

/** The parameters of a request, where it has any. */
export const paramsOf = ({ additionalParams }: JsonObject): JsonObject =>
  isJsonObject(additionalParams) ? additionalParams : {};
