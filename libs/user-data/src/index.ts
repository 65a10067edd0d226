export { heatParameters, type HeatParameters } from './heat-parameters.js';
export type { CpConfig, ExtVirtualLink, GrantData, InstantiateData, IpAddresses, UserDataInput } from './instantiate-data.js';
export { prepareTemplates, stackInput, type StackInput } from './prepare-templates.js';
export { baseHotOf, groupSizes } from './sizes.js';
export { refuseUserDataScript } from './user-data-scripts.js';
