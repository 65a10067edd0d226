import { isJsonObject, mergePatch, RequestError, withoutMasks, type Json, type JsonObject } from '@windlass/foundation';
import { maskedAttributes, type VnfInfoModificationRequest } from '@windlass/sol003';
import type { VnfInstanceRecord, VnfProperties } from '../../records/records.js';

/** A merge patch (RFC 7396) applied; undefined where nothing is left. Values that a client was shown masked and sends back stay as they were. */
export function mergedPairs(before: JsonObject | undefined, patch: Json): JsonObject | undefined {
  const merged = mergePatch(before ?? {}, withoutMasks(before, maskedAttributes(before), patch));
  return isJsonObject(merged) && Object.keys(merged).length > 0 ? merged : undefined;
}

/** All properties that an instance has: those it was instantiated with, too, until a modification gave others. */
export function propertiesOf({ properties, desired }: Pick<VnfInstanceRecord, 'properties' | 'desired'>): VnfProperties {
  return {
    ...(desired?.extensions === undefined ? {} : { extensions: desired.extensions }),
    ...(desired?.vnfConfigurableProperties === undefined ? {} : { vnfConfigurableProperties: desired.vnfConfigurableProperties }),
    ...properties,
  };
}

/** The instance with the properties that a modification gives it (SOL003 5.5.2.12), each a merge patch. @throws RequestError 400 for an unknown VNFC */
export function modifiedProperties(instance: VnfInstanceRecord, request: VnfInfoModificationRequest): VnfInstanceRecord {
  const { extensions, vnfConfigurableProperties, vnfcInfoModifications } = request;
  if (extensions === undefined && vnfConfigurableProperties === undefined && vnfcInfoModifications === undefined) return instance;
  const before = propertiesOf(instance);
  const after: VnfProperties = {
    ...before,
    ...patched('extensions', before.extensions, extensions as Json | undefined),
    ...patched('vnfConfigurableProperties', before.vnfConfigurableProperties, vnfConfigurableProperties as Json | undefined),
    ...(vnfcInfoModifications === undefined ? {} : { vnfcs: vnfcsWith(instance, before.vnfcs ?? {}, vnfcInfoModifications) }),
  };
  const kept = Object.fromEntries(Object.entries(after).filter(([, pairs]) => pairs !== undefined)) as VnfProperties;
  return { ...instance, properties: kept, desired: instance.desired === null ? null : withoutProperties(instance.desired) };
}

/** The instance's own are those of `properties` from now on. */
function withoutProperties(desired: NonNullable<VnfInstanceRecord['desired']>): NonNullable<VnfInstanceRecord['desired']> {
  const { extensions: _extensions, vnfConfigurableProperties: _properties, ...others } = desired;
  return others;
}

/** The patched member: nothing where the request does not name it; undefined where the request removes it. */
const patched = (
  name: string,
  before: JsonObject | undefined,
  patch: Json | undefined,
): Record<string, JsonObject | undefined> => (patch === undefined ? {} : { [name]: mergedPairs(before, patch) });

function vnfcsWith(
  { id: vnfInstanceId, instantiated }: VnfInstanceRecord,
  before: Readonly<Record<string, JsonObject>>,
  modifications: NonNullable<VnfInfoModificationRequest['vnfcInfoModifications']>,
): Record<string, JsonObject> {
  const known = new Set(instantiated?.info.vnfcResourceInfo?.map(({ id }) => id));
  const after = new Map(Object.entries(before));
  for (const [index, { id, vnfcConfigurableProperties }] of modifications.entries()) {
    if (!known.has(id)) {
      const path = `/vnfcInfoModifications/${index}/id`;
      const reason = `VNF instance ${vnfInstanceId} has no VNFC ${id}`;
      throw new RequestError(400, 'request.invalid', `${path}: ${reason}`, { invalidParams: [{ path, reason }] });
    }
    const merged = mergedPairs(after.get(id), vnfcConfigurableProperties as Json);
    if (merged === undefined) after.delete(id);
    else after.set(id, merged);
  }
  return Object.fromEntries(after);
}

/** What a modification changed of the properties, in the standard's words; secrets are the caller's to mask. */
export function changedProperties(before: VnfInstanceRecord, after: VnfInstanceRecord): JsonObject {
  const [was, is] = [propertiesOf(before), propertiesOf(after)];
  const changed = (['extensions', 'vnfConfigurableProperties'] as const).filter(
    (name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]),
  );
  const vnfcs = Object.entries(is.vnfcs ?? {}).filter(
    ([id, properties]) => JSON.stringify(was.vnfcs?.[id]) !== JSON.stringify(properties),
  );
  return {
    ...Object.fromEntries(changed.map((name) => [name, is[name] ?? {}])),
    ...(vnfcs.length === 0
      ? {}
      : { vnfcInfoModifications: vnfcs.map(([id, properties]) => ({ id, vnfcConfigurableProperties: properties })) }),
  };
}
