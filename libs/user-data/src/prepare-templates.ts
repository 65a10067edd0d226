import { rewriteBaseHot, type BaseHot, type HeatTemplates } from '@windlass/vnf-package';
import { computedParameters } from './computed-parameters.js';
import { heatParameters, type HeatParameters } from './heat-parameters.js';
import type { UserDataInput } from './instantiate-data.js';
import { managedNetworks, portsStandingIn } from './networks.js';
import { baseHotOf, groupSizes, vduCounts } from './sizes.js';

/**
 * The templates to send to Heat for the wanted size: the same function serves an instantiation at any level and a scaling, which is
 * a stack update with another size.
 *
 * Packages of the reference system write `desired_capacity` into the template as a literal, equal to the VNFD's default level. For
 * another size that literal is replaced in the text (or put there where the group has none). A group that takes its size from a
 * parameter is left alone: the parameter carries it. A group that an update shall empty has its `max_size` made 0 besides. Internal networks that are managed from outside are replaced by their id, and so are ports of templates made from the VNFD for which the request hands in prepared ones.
 * @throws RequestError as `groupSizes`.
 */
export function prepareTemplates(input: UserDataInput): HeatTemplates {
  const hot = templatesOf(input);
  const sizes = groupSizes(input);
  const written = hot.groups.flatMap(({ name, desired, minSize }): [string, number][] => {
    const size = Object.hasOwn(sizes, name) ? sizes[name] : undefined;
    if (size === undefined) return [];
    const changes = desired.kind === 'literal' ? desired.size !== size : desired.kind === 'absent' && minSize !== size;
    return changes ? [[name, size]] : [];
  });
  const emptied = input.resizes === true ? Object.keys(sizes).filter((name) => sizes[name] === 0) : [];
  const links = new Set(input.flavour.virtualLinks.map(({ id }) => id));
  const networks = Object.entries(managedNetworks(input)).filter(([link]) => links.has(link));
  return rewriteBaseHot(hot, {
    groupSizes: Object.fromEntries(written),
    emptied,
    managedNetworks: Object.fromEntries(networks),
    preparedPorts: input.computed === undefined ? portsStandingIn(input, vduCounts(input)) : {},
  });
}

/** A script's templates stand in the place of the package's. */
function templatesOf({ flavour, computed }: UserDataInput): BaseHot {
  const hot = baseHotOf(flavour);
  const files = Object.entries(computed?.files ?? {}).map(([name, text]) => [name, { path: name, text }] as const);
  if (computed?.template === undefined) return { ...hot, files: { ...hot.files, ...Object.fromEntries(files) } };
  return { ...hot, top: { ...hot.top, text: computed.template }, files: { ...hot.files, ...Object.fromEntries(files) } };
}

/** Everything that a stack is created or updated with. */
export interface StackInput extends HeatTemplates {
  parameters: HeatParameters;
}

/** Templates and parameters together. @throws RequestError as `heatParameters`. */
export function stackInput(input: UserDataInput): StackInput {
  return {
    ...prepareTemplates(input),
    parameters: input.computed === undefined ? heatParameters(input) : computedParameters(input, input.computed),
  };
}
