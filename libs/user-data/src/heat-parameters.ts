import {
  atPointer,
  isJsonObject,
  mergePatch,
  pointerToken,
  RequestError,
  type InvalidParam,
  type Json,
  type JsonObject,
} from '@windlass/foundation';
import type { BaseHot, NfvReference, SoftwareImage } from '@windlass/vnf-package';
import type { UserDataInput } from './instantiate-data.js';
import { addressPointer, fixedIpsOf, macAddressOf, networkOf, portOf, type Found } from './networks.js';
import { baseHotOf, groupSizes, vduCounts } from './sizes.js';

/** Parameters of a Heat stack: `nfv` as the template asks for it, and its other parameters. */
export type HeatParameters = JsonObject & { nfv?: Json };

/**
 * The Heat parameters of a VNF without any script of its package: what the "Default" user data of the reference system computes.
 *
 * `nfv` has exactly the keys that the templates' four-element `get_param`s ask for. A VDU's flavor, image and zone come from the
 * grant, from what was made for it, or from the VNFD; a connection point's network and addresses from the grant or the request.
 * `additionalParams.nfv` of the request, then the grant's, are merged over it (RFC 7396). Other parameters of the top template
 * are taken from `additionalParams` by their name.
 * @throws RequestError 400 `user-data.missing-parameters` with the JSON pointer of each field that should be given; 400 or 422
 * where the templates can't make the wanted size (see `groupSizes`).
 */
export function heatParameters(input: UserDataInput): HeatParameters {
  const hot = baseHotOf(input.flavour);
  const sizes = groupSizes(input);
  const absent: InvalidParam[] = [];
  const parameters: HeatParameters = {};
  if (hot.parameters.some(({ name }) => name === 'nfv')) parameters.nfv = nfvParameter(input, hot, absent);
  for (const { name, hasDefault } of hot.parameters) {
    if (name === 'nfv') continue;
    const given = input.request.additionalParams;
    const computed = desiredCapacity(hot, sizes, name);
    if (computed !== undefined) parameters[name] = computed;
    else if (isJsonObject(given) && Object.hasOwn(given, name)) parameters[name] = given[name] ?? null;
    else if (!hasDefault) {
      absent.push({
        path: `/additionalParams/${pointerToken(name)}`,
        reason: `is missing: the template ${hot.top.path} asks for the parameter "${name}"`,
      });
    }
  }
  if (absent.length > 0) throw missingParameters(absent);
  return parameters;
}

function missingParameters(absent: readonly InvalidParam[]): RequestError {
  const distinct = [...new Map(absent.map((param) => [JSON.stringify(param), param])).values()];
  const detail = distinct.map(({ path, reason }) => `${path} ${reason}`).join('; ');
  return new RequestError(400, 'user-data.missing-parameters', detail, { invalidParams: distinct });
}

function nfvParameter(input: UserDataInput, hot: BaseHot, absent: InvalidParam[]): Json {
  const patches = [input.request.additionalParams?.nfv, input.grant?.additionalParams?.nfv].filter(
    (patch) => patch !== undefined,
  );
  const sections = new Map<string, Map<string, Map<string, Json>>>();
  for (const reference of hot.nfvReferences) {
    const { section, name, attribute } = reference;
    const pointer = [section, name, attribute, ...reference.path].map((token) => `/${pointerToken(token)}`).join('');
    const overridden = patches.some((patch) => atPointer(patch, pointer) !== undefined);
    const found = valueOf(input, hot, reference);
    if ('value' in found) {
      const names = getOrAdd(sections, section, () => new Map<string, Map<string, Json>>());
      getOrAdd(names, name, () => new Map<string, Json>()).set(attribute, found.value);
    } else if (!overridden) absent.push(found.missing);
  }
  const computed = Object.fromEntries(
    [...sections].map(([section, names]) => [
      section,
      Object.fromEntries([...names].map(([name, values]) => [name, Object.fromEntries(values)])),
    ]),
  );
  return patches.reduce<Json>((nfv, patch) => mergePatch(nfv, patch), computed);
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

function valueOf(input: UserDataInput, hot: BaseHot, reference: NfvReference): Found {
  const { section, name, attribute } = reference;
  const unknown: Found = {
    missing: {
      path: `/additionalParams/nfv/${[section, name, attribute].map(pointerToken).join('/')}`,
      reason: `is missing: ${whyMissing(input, reference)}`,
    },
  };
  if (section === 'CP') return connectionPointValue(input, hot, reference) ?? unknown;
  return (section === 'VDU' ? computeValue(input, name, attribute) : undefined) ?? unknown;
}

/** What Windlass computes of what a template asks for, by section. The rest is given in the request. */
const COMPUTED: ReadonlyMap<string, readonly string[]> = new Map([
  ['VDU', ['flavor', 'computeFlavourId', 'image', 'vcImageId', 'locationConstraints', 'desired_capacity']],
  ['CP', ['network', 'fixed_ips']],
]);

function whyMissing({ flavour }: UserDataInput, { section, name, attribute }: NfvReference): string {
  const asked = 'the template asks for it';
  const computed = COMPUTED.get(section);
  const give = 'give it here';
  if (computed === undefined) return `${asked}; from the VNFD come VDU and CP alone: ${give}, or correct the template`;
  const nodes = section === 'VDU' ? [...flavour.vdus, ...flavour.storages] : flavour.cps;
  if (!nodes.some(({ id }) => id === name))
    return `${asked}, but the flavour "${flavour.id}" has no ${section === 'VDU' ? 'VDU or storage' : 'connection point'} "${name}": ${give}, or correct the template`;
  if (!computed.includes(attribute))
    return `${asked}; of a ${section} only ${computed.join(', ')} come from the VNFD: ${give}, or correct the template`;
  return `${asked}, and neither the VNFD nor the request has it: ${give}, or in the VNFD`;
}

function connectionPointValue(
  input: UserDataInput,
  hot: BaseHot,
  { name, attribute, path, resource }: NfvReference,
): Found | undefined {
  if (attribute === 'network') return networkOf(input, name);
  const group = hot.groups.some((each) => each.name === resource);
  const made = group ? (groupSizes(input)[resource] ?? 1) : 1;
  if (attribute === 'mac_address') return macAddressOf(input, name, made);
  if (attribute === 'port') return portOf(input, name, made);
  if (attribute !== 'fixed_ips') return undefined;
  const fixedIps = fixedIpsOf(input, name, { instances: made, oneByOne: !group && asksOneByOne(hot, name) });
  if ('missing' in fixedIps) return fixedIps;
  const pointer = path.map((token) => `/${pointerToken(token)}`).join('');
  if (atPointer(fixedIps.value, pointer) !== undefined) return fixedIps;
  const reason = `should give the address that the template asks for: fixed_ips${pointer} of the connection point "${name}"`;
  return { missing: { path: addressPointer(input, name), reason } };
}

/** The templates take the addresses of a connection point by their places: each of its ports may have its own. */
export function asksOneByOne(hot: BaseHot, cpdId: string): boolean {
  const references = hot.nfvReferences.filter(
    ({ section, name, attribute }) => section === 'CP' && name === cpdId && attribute === 'fixed_ips',
  );
  return references.some(({ path }) => Number(path[0]) > 0) && references.every(({ path }) => path.length > 0);
}

function computeValue(input: UserDataInput, name: string, attribute: string): Found | undefined {
  const { flavour, grant } = input;
  const vdu = flavour.vdus.find(({ id }) => id === name);
  const storage = flavour.storages.find(({ id }) => id === name);
  if (vdu === undefined && storage === undefined) return undefined;
  switch (attribute) {
    case 'flavor':
    case 'computeFlavourId': {
      const granted = grant?.vimAssets?.computeResourceFlavours?.find(
        (asset) => asset.vnfdVirtualComputeDescId === name,
      )?.vimFlavourId;
      return found(granted ?? own(input.flavorRefs, name) ?? vdu?.flavorName);
    }
    case 'image':
    case 'vcImageId':
      return found(imageOf(input, name, vdu?.image ?? storage?.image));
    case 'locationConstraints':
      return { value: own(input.zones, name) ?? null };
    case 'desired_capacity':
      return found(own(vduCounts(input), name));
    default:
      return undefined;
  }
}

/** The image that a node is made from: granted, or uploaded, or the one that the VNFD names. */
export function imageOf({ grant, imageRefs }: UserDataInput, node: string, image: SoftwareImage | undefined): string | undefined {
  const granted = grant?.vimAssets?.softwareImages?.find((asset) => asset.vnfdSoftwareImageId === node)?.vimSoftwareImageId;
  return granted ?? own(imageRefs, node) ?? image?.name;
}

const found = (value: Json | undefined): Found | undefined => (value === undefined ? undefined : { value });

export const own = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;

/** Size of the group that takes its `desired_capacity` from this parameter, by reference or by the name `<group>_desired_capacity`. */
export function desiredCapacity(hot: BaseHot, sizes: Readonly<Record<string, number>>, parameter: string): number | undefined {
  const group = hot.groups.find(
    ({ name, desired }) =>
      (desired.kind === 'parameter' && desired.name === parameter) || parameter === `${name}_desired_capacity`,
  );
  return group === undefined ? undefined : own(sizes, group.name);
}
