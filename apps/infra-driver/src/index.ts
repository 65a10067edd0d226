export * from './start-infra-driver.js';
export { infraDriver } from './service.js';
export { VimSessions } from './vim-sessions.js';
export { SCRIPT_SETTINGS } from './user-data/script-settings.js';
export type { InfraSettings, PackagedFile, PackageReader } from './actions/infra-context.js';
/** How a stack is read as a VNF: for the suites that hold the emulator to a real OpenStack. */
export { buildInstantiatedVnfInfo, type InfoOfStack } from './vnf/instantiated-vnf-info.js';
export { reachableAt, vnfNodes } from './vnf/vnfc-nodes.js';
export type { VnfModel } from './vnf/vnf-model.js';
export type { Cluster, OpenCluster } from './kubernetes/cluster-api.js';
export { ClusterRefusal } from './kubernetes/cluster-errors.js';
export type { KubeObject } from './kubernetes/objects.js';
