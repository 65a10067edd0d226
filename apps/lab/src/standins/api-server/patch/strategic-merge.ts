import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { sameJson } from '../../kube/object.js';
import { StatusError } from '../../kube/status-error.js';

/** How a list of objects is merged: by this member. Lists of scalars merge as sets. Lists not named here are replaced as a whole. */
const MERGE_KEYS: Record<string, string> = {
  addresses: 'type',
  conditions: 'type',
  containers: 'name',
  env: 'name',
  ephemeralContainers: 'name',
  hostAliases: 'ip',
  imagePullSecrets: 'name',
  initContainers: 'name',
  ownerReferences: 'uid',
  resourceClaims: 'name',
  secrets: 'name',
  taints: 'key',
  topologySpreadConstraints: 'topologyKey',
  volumeDevices: 'devicePath',
  volumeMounts: 'mountPath',
  volumes: 'name',
};

const SETS = new Set(['finalizers', 'podCIDRs']);

/** `ports` of a container merges by containerPort, of a service by port. */
function mergeKey(member: string, entries: readonly Json[]): string | undefined {
  if (member !== 'ports') return MERGE_KEYS[member];
  return entries.some((entry) => isJsonObject(entry) && entry.containerPort !== undefined) ? 'containerPort' : 'port';
}

/**
 * Kubernetes' strategic merge patch, with its directives `$patch`, `$retainKeys`, `$deleteFromPrimitiveList/` and
 * `$setElementOrder/`. Returns a new document.
 * @throws StatusError 400 for an unknown directive
 */
export function strategicMerge(target: JsonObject, patch: JsonObject): JsonObject {
  const directive = patch.$patch;
  if (directive === 'delete') return {};
  if (directive === 'replace') return withoutDirectives(patch);
  if (directive !== undefined && directive !== 'merge')
    throw StatusError.badRequest(`unknown $patch type: ${JSON.stringify(directive)}`);
  const result: JsonObject = { ...target };
  const retained = patch.$retainKeys;
  if (Array.isArray(retained)) {
    for (const key of Object.keys(result)) if (!retained.includes(key)) Reflect.deleteProperty(result, key);
  }
  for (const [member, value] of Object.entries(patch)) {
    if (member === '$patch' || member === '$retainKeys' || member.startsWith('$setElementOrder/')) continue;
    if (member.startsWith('$deleteFromPrimitiveList/')) removeScalars(result, member, value);
    else if (member === '__proto__') continue;
    else if (value === null) Reflect.deleteProperty(result, member);
    else result[member] = mergeMember(member, result[member], value);
  }
  for (const [member, order] of Object.entries(patch)) {
    if (member.startsWith('$setElementOrder/')) reorder(result, member.slice('$setElementOrder/'.length), order);
  }
  return result;
}

function mergeMember(member: string, present: Json | undefined, value: Json): Json {
  if (isJsonObject(value)) return strategicMerge(isJsonObject(present) ? present : {}, value);
  if (!Array.isArray(value)) return value;
  return mergeList(member, Array.isArray(present) ? present : [], value);
}

function mergeList(member: string, present: readonly Json[], patch: readonly Json[]): Json[] {
  if (patch.some((entry) => isJsonObject(entry) && entry.$patch === 'replace')) {
    return patch.filter((entry) => !(isJsonObject(entry) && entry.$patch === 'replace'));
  }
  if (SETS.has(member)) return [...present, ...patch.filter((entry) => !present.some((known) => sameJson(known, entry)))];
  const key = mergeKey(member, [...present, ...patch]);
  if (key === undefined) return patch.map(clean);
  const result = [...present];
  for (const entry of patch) {
    if (!isJsonObject(entry)) throw StatusError.badRequest(`an entry of ${member} must be an object`);
    const at = result.findIndex((known) => isJsonObject(known) && sameJson(known[key], entry[key]));
    if (entry.$patch === 'delete') {
      if (at >= 0) result.splice(at, 1);
    } else if (at < 0) result.push(strategicMerge({}, entry));
    else result[at] = strategicMerge(result[at] as JsonObject, entry);
  }
  return result;
}

const clean = (value: Json): Json => (isJsonObject(value) ? withoutDirectives(value) : value);

const withoutDirectives = (value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(value)
      .filter(([member]) => !member.startsWith('$'))
      .map(([member, inner]) => [member, Array.isArray(inner) ? inner.map(clean) : clean(inner)]),
  );

function removeScalars(result: JsonObject, member: string, values: Json): void {
  const name = member.slice('$deleteFromPrimitiveList/'.length);
  const list = result[name];
  if (Array.isArray(list) && Array.isArray(values)) {
    result[name] = list.filter((entry) => !values.some((value) => sameJson(entry, value)));
  }
}

/** Puts list entries into the order that the client sees; what the client does not name comes after. */
function reorder(result: JsonObject, member: string, order: Json): void {
  const list = result[member];
  if (!Array.isArray(list) || !Array.isArray(order)) return;
  const key = mergeKey(member, list);
  const rank = (entry: Json): number => {
    const at = order.findIndex((wanted) =>
      key !== undefined && isJsonObject(wanted) && isJsonObject(entry)
        ? sameJson(wanted[key], entry[key])
        : sameJson(wanted, entry),
    );
    return at < 0 ? order.length : at;
  };
  result[member] = list
    .map((entry, index) => ({ entry, index }))
    .sort((a, b) => rank(a.entry) - rank(b.entry) || a.index - b.index)
    .map(({ entry }) => entry);
}
