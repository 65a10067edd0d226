export type { ComputedData, ScriptFacts, ScriptMethod } from './computed-data.js';
export { asksOneByOne, heatParameters, type HeatParameters } from './heat-parameters.js';
export { ALIKE } from './networks.js';
export { faultIn } from './computed-parameters.js';
export type { CpConfig, ExtVirtualLink, GrantData, InstantiateData, IpAddresses, UserDataInput } from './instantiate-data.js';
export { prepareTemplates, stackInput, type StackInput } from './prepare-templates.js';
export { baseHotOf, groupSizes, serverFault, vduCounts } from './sizes.js';
export {
  bootedFrom,
  entries,
  literal,
  objects,
  referredTo,
  resourcesOf,
  type TemplateReader,
  type TemplateResource,
} from './template-resources.js';
export { languageOf, namedScript, requireInPackage, type NamedScript, type ScriptLanguage } from './user-data-scripts.js';
