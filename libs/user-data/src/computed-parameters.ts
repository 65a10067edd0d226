import { atPointer, isJsonObject, mergePatch, pointerToken, type Json, type JsonObject } from '@windlass/foundation';
import type { Flavour } from '@windlass/vnf-package';
import type { ComputedData } from './computed-data.js';
import { desiredCapacity, imageOf, own, type HeatParameters } from './heat-parameters.js';
import type { UserDataInput } from './instantiate-data.js';
import { baseHotOf, groupSizes, nodeOf, serverFault, vduCounts } from './sizes.js';

/**
 * The parameters that a script of the package has computed, as Heat gets them. What the record knows for certain goes before them: sizes of groups,
 * flavors and images that were granted, and the id of an image that was uploaded where a script knows its name alone.
 * @throws RequestError as `groupSizes`
 */
export function computedParameters(input: UserDataInput, { parameters }: ComputedData): HeatParameters {
  const hot = baseHotOf(input.flavour);
  const sizes = groupSizes(input);
  const filled: HeatParameters = { ...parameters };
  for (const { name } of hot.parameters) {
    const size = desiredCapacity(hot, sizes, name);
    if (size !== undefined) filled[name] = size;
  }
  if (!isJsonObject(filled.nfv)) return filled;
  const counts = vduCounts(input);
  const sized = hot.groups.flatMap(({ desired }): [string, JsonObject][] => {
    const size = desired.kind === 'nfv' ? own(counts, desired.vduId) : undefined;
    return desired.kind === 'nfv' && size !== undefined ? [[desired.vduId, { desired_capacity: size }]] : [];
  });
  const { VDU } = filled.nfv;
  const assets = isJsonObject(VDU)
    ? Object.entries(VDU).map(([name, values]): [string, JsonObject] => [
        name,
        isJsonObject(values) ? assetsOf(input, name, values) : {},
      ])
    : [];
  filled.nfv = [...assets, ...sized].reduce<Json>(
    (nfv, [name, patch]) => mergePatch(nfv, { VDU: { [name]: patch } }),
    filled.nfv,
  );
  return filled;
}

/** What of a VDU's values is otherwise than the script has it. */
function assetsOf(input: UserDataInput, given: string, values: JsonObject): JsonObject {
  const { flavour, grant } = input;
  const nodes = [...flavour.vdus, ...flavour.storages];
  const name = nodeOf(given, new Set(nodes.map(({ id }) => id)));
  const node = nodes.find(({ id }) => id === name);
  const flavor = grant?.vimAssets?.computeResourceFlavours?.find(
    (asset) => asset.vnfdVirtualComputeDescId === name,
  )?.vimFlavourId;
  const image = imageOf(input, name, undefined);
  const granted = grant?.vimAssets?.softwareImages?.some((asset) => asset.vnfdSoftwareImageId === name) === true;
  const patch: JsonObject = {};
  for (const key of ['flavor', 'computeFlavourId']) if (flavor !== undefined && Object.hasOwn(values, key)) patch[key] = flavor;
  for (const key of ['image', 'vcImageId']) {
    const isNamed = granted || (node?.image !== undefined && values[key] === node.image.name);
    if (image !== undefined && isNamed && Object.hasOwn(values, key)) patch[key] = image;
  }
  return patch;
}

/** Attributes without which Heat makes no server and no port. */
const NEEDED: readonly string[] = ['flavor', 'computeFlavourId', 'image', 'vcImageId', 'network'];

/**
 * What is wrong with what a script has computed: undefined where nothing is. A template of the script's own is Heat's to read; of the package's, all
 * that it asks for must be there. Of either the servers that stand in no group must be as many as are wanted.
 * @param counts instances wanted of each VDU
 */
export function faultIn(
  flavour: Flavour,
  computed: ComputedData,
  counts: Readonly<Record<string, number>> = {},
): string | undefined {
  const { parameters, template } = computed;
  const hot = baseHotOf(flavour);
  const unfit = serverFault(flavour, computed, counts);
  if (unfit !== undefined) return `does not fit: ${unfit}`;
  if (template !== undefined) return undefined;
  const declared = new Set(hot.parameters.map(({ name }) => name));
  const unknown = Object.keys(parameters).find((name) => !declared.has(name));
  if (unknown !== undefined)
    return `has the parameter "${unknown}", which ${hot.top.path} does not declare; it declares ${[...declared].join(', ')}`;
  const filled = (name: string): boolean =>
    hot.groups.some(
      ({ name: group, desired }) =>
        name === `${group}_desired_capacity` || (desired.kind === 'parameter' && desired.name === name),
    );
  const missing = hot.parameters.find(({ name, hasDefault }) => !hasDefault && !filled(name) && !Object.hasOwn(parameters, name));
  if (missing !== undefined) return `lacks the parameter "${missing.name}", which ${hot.top.path} asks for`;
  if (!declared.has('nfv')) return undefined;
  for (const { section, name, attribute, path } of hot.nfvReferences) {
    if (attribute === 'desired_capacity') continue;
    const place = [section, name, attribute, ...path];
    const value = atPointer(parameters.nfv ?? null, place.map((token) => `/${pointerToken(token)}`).join(''));
    if (value === undefined) return `lacks nfv.${place.join('.')}, which the templates ask for`;
    if (value === null && NEEDED.includes(attribute)) return `has null for nfv.${place.join('.')}, which the templates need`;
  }
  return undefined;
}
