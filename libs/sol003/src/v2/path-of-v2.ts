import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';

/** The lists that both versions share and v2 has as maps, with the member that keeps the map's key. */
const KEYED = [
  { list: /^\/vimConnectionInfo\/(\d+)(?=\/|$)/, key: 'id' },
  { list: /^\/extVirtualLinks\/\d+\/extCps\/\d+\/cpConfig\/(\d+)(?=\/|$)/, key: 'cpConfigId' },
] as const;

/**
 * Where the client of v2 finds what a path of the shared form names: an entry of a map by its key.
 * @param path a JSON pointer into what `fromV2` returned
 * @param shared what `fromV2` returned
 */
export function pathOfV2(path: string, shared: JsonObject): string {
  for (const { list, key } of KEYED) {
    const found = list.exec(path);
    if (found === null) continue;
    const [entry = ''] = found;
    const name = memberOf(at(shared, entry), key);
    if (typeof name !== 'string') return path;
    const escaped = name.replaceAll('~', '~0').replaceAll('/', '~1');
    return `${entry.slice(0, entry.lastIndexOf('/'))}/${escaped}${path.slice(entry.length)}`;
  }
  return path;
}

const memberOf = (value: Json | undefined, name: string): Json | undefined => (isJsonObject(value) ? value[name] : undefined);

const at = (body: JsonObject, path: string): Json | undefined =>
  path
    .split('/')
    .slice(1)
    .reduce<Json | undefined>((value, name) => (Array.isArray(value) ? value[Number(name)] : memberOf(value, name)), body);
