import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { toV2 } from '@windlass/sol003';
import type { ScriptFacts } from '@windlass/user-data';

/** The arguments of a method of the second version but the folder, in its order: as SOL003 3.3.1 has them, in which configurations of connection points are maps. */
export const secondVersion = ({ request, instance, grantRequest, grant }: ScriptFacts): JsonObject[] => [
  toV2(request),
  instanceOf(instance),
  grantRequest,
  toV2(grant),
];

function instanceOf(instance: JsonObject): JsonObject {
  const { instantiatedVnfInfo: info } = instance;
  if (!isJsonObject(info) || !Array.isArray(info.extVirtualLinkInfo)) return instance;
  return { ...instance, instantiatedVnfInfo: { ...info, extVirtualLinkInfo: info.extVirtualLinkInfo.map(linkOf) } };
}

function linkOf(link: Json): Json {
  if (!isJsonObject(link) || !Array.isArray(link.currentVnfExtCpData)) return link;
  const { extVirtualLinks } = toV2({ extVirtualLinks: [{ extCps: link.currentVnfExtCpData }] });
  const [given] = Array.isArray(extVirtualLinks) ? extVirtualLinks : [];
  return { ...link, currentVnfExtCpData: isJsonObject(given) && given.extCps !== undefined ? given.extCps : [] };
}
