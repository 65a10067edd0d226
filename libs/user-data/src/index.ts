export type { ComputedData, ScriptFacts, ScriptMethod } from './computed-data.js';
export { heatParameters, type HeatParameters } from './heat-parameters.js';
export { faultIn } from './computed-parameters.js';
export type { CpConfig, ExtVirtualLink, GrantData, InstantiateData, IpAddresses, UserDataInput } from './instantiate-data.js';
export { prepareTemplates, stackInput, type StackInput } from './prepare-templates.js';
export { baseHotOf, groupSizes } from './sizes.js';
export { languageOf, namedScript, requireInPackage, type NamedScript, type ScriptLanguage } from './user-data-scripts.js';
