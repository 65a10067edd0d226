import { atPointer, isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { sameJson } from '../../kube/object.js';
import { StatusError } from '../../kube/status-error.js';

/**
 * Applies an RFC 6902 patch to a copy of the document.
 * @throws StatusError 422 when an operation can't be applied, 400 when it is no operation.
 */
export function applyJsonPatch(document: JsonObject, patch: Json): JsonObject {
  if (!Array.isArray(patch)) throw StatusError.badRequest('a JSON patch must be a list of operations');
  const holder: JsonObject = { root: structuredClone(document) };
  for (const operation of patch) applyOne(holder, operation);
  const result = holder.root;
  if (!isJsonObject(result)) throw refused('the patch does not leave an object');
  return result;
}

const refused = (message: string): StatusError => new StatusError(422, 'Invalid', `the server rejected our request: ${message}`);

function applyOne(holder: JsonObject, operation: Json): void {
  if (!isJsonObject(operation)) throw StatusError.badRequest('an operation of a JSON patch must be an object');
  const { op, path, from, value } = operation;
  if (typeof path !== 'string' || typeof op !== 'string') throw StatusError.badRequest('an operation needs op and path');
  const document = holder.root;
  if (op === 'test') {
    if (!sameJson(atPointer(document, path), value)) throw refused(`testing value ${path} failed`);
    return;
  }
  if (op === 'add') put(holder, path, value ?? null, true);
  else if (op === 'replace') put(holder, path, value ?? null, false);
  else if (op === 'remove') take(holder, path);
  else if ((op === 'move' || op === 'copy') && typeof from === 'string') {
    const moved = op === 'move' ? take(holder, from) : atPointer(document, from);
    if (moved === undefined) throw refused(`missing path ${from}`);
    put(holder, path, structuredClone(moved), true);
  } else throw StatusError.badRequest(`unknown operation "${op}" in a JSON patch`);
}

/** The container of what a pointer names, and the last key. The whole document is the member `root` of the holder. */
function locate(holder: JsonObject, pointer: string): { parent: Json[] | JsonObject; key: string } {
  const tokens = pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  const key = tokens.pop();
  if (key === undefined) return { parent: holder, key: 'root' };
  const at = pointer.slice(0, pointer.lastIndexOf('/'));
  const parent = atPointer(holder.root, at);
  if (!Array.isArray(parent) && !isJsonObject(parent)) throw refused(`missing path ${pointer}`);
  return { parent, key };
}

function put(holder: JsonObject, pointer: string, value: Json, insert: boolean): void {
  const { parent, key } = locate(holder, pointer);
  if (!Array.isArray(parent)) {
    if (!insert && !Object.hasOwn(parent, key)) throw refused(`missing path ${pointer}`);
    parent[key] = value;
    return;
  }
  const index = key === '-' && insert ? parent.length : Number(key);
  const limit = insert ? parent.length : parent.length - 1;
  if (!/^(\d+|-)$/.test(key) || !(index <= limit)) throw refused(`index ${pointer} is out of bounds`);
  parent.splice(index, insert ? 0 : 1, value);
}

function take(holder: JsonObject, pointer: string): Json {
  const { parent, key } = locate(holder, pointer);
  const present = Array.isArray(parent) ? parent[Number(key)] : Object.hasOwn(parent, key) ? parent[key] : undefined;
  if (present === undefined) throw refused(`missing path ${pointer}`);
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else Reflect.deleteProperty(parent, key);
  return present;
}
