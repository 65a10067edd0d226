export { KubeApi, type ChangeTerms, type ExecResult } from './cluster/kube-api.js';
export { API_PORT, isSilence, kubectl, LivingMasters, ofThisMachine, type Master } from './cluster/living-masters.js';
export { SilentMachines, silentMachines } from './host/silent-machines.js';
export { MastersContext, type MasterInput, type MastersStepInput } from './cluster/masters-context.js';
export {
  cidrContains,
  cidrsOverlap,
  formatCidr,
  formatIpv4,
  ipv4Among,
  loginAddress,
  parseCidr,
  parseIpv4,
  type Cidr,
} from './driver/cidr.js';
export * from './offered/index.js';
export { defineDriver, type DriverDefinition, type PureDriver } from './driver/define-driver.js';
export { DRIVER_LANGUAGES, type DriverLanguage } from './exec/languages.js';
export { newDriver, type NewDriver } from './exec/new-driver.js';
export { execParts, execService, ExecServiceConfig } from './exec/exec-service.js';
export { ExecutableDriver } from './exec/executable-driver.js';
export type { StepMachines } from './exec/step-machines.js';
export type { Executable, ProcessUser } from './exec/driver-process.js';
export { readExample, type Example } from './exec/trial/example.js';
export { tryDriver } from './exec/trial/try-driver.js';
export type { Tried } from './exec/trial/tried.js';
export { packagePath, RequestCheck, type GroupNames } from './driver/request-check.js';
export * as schema from './driver/schema.js';
export { NatsPackageFiles, type PackageFileRef, type PackageFiles } from './files/package-files.js';
export {
  HostContext,
  LOOK,
  MachineContext,
  ServerContext,
  type HostScript,
  type HostStepInput,
  type MachineStepInput,
  type ServerStepInput,
} from './host/host-context.js';
export { aptProxy, proxySecrets, type Proxies } from './host/proxies.js';
export { APT, CRI, HEAD, RESTING } from './host/script-fragments.js';
export {
  loginOf,
  machineReference,
  overridingLogin,
  paramsAs,
  paramsSource,
  requestParamsSource,
  sshLoginOf,
  resourceOf,
  serverId,
  targetOf,
  type Login,
  type LoginReference,
  type MachineGiven,
  type MachineInput,
  type OverridingLogin,
  type SshLogin,
  type ServerInput,
} from './host/machine-input.js';
export * as params from './parameters/declare.js';
export type { Given, GivenTopLevel, Parameter } from './parameters/declare.js';
export { deepestOver, exportsOver, isStoragePath, liesIn, plainStoragePath, STORAGE_PATH } from './offered/storage-paths.js';
export { DriverServiceConfig } from './service/driver-config.js';
export { driverService, type DriverServiceOptions } from './service/driver-service.js';
export { boundTo, serviceAction, type ServiceAction } from './service/service-action.js';
export {
  oneDriver,
  startDrivers,
  type DriverDependencies,
  type DriverParts,
  type DriverPorts,
  type ServiceParts,
} from './service/start-drivers.js';
export type { ClaimOf, ControlPlaneArchive, KeptSnapshot, SnapshotState, VimRegistry } from './vim-registry.js';
