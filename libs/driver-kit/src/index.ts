export { cidrContains, cidrsOverlap, formatCidr, formatIpv4, parseCidr, parseIpv4, type Cidr } from './driver/cidr.js';
export { defineDriver, type DriverDefinition, type PureDriver } from './driver/define-driver.js';
export { packagePath, RequestCheck, type GroupNames } from './driver/request-check.js';
export * as schema from './driver/schema.js';
export { NatsPackageFiles, type PackageFileRef, type PackageFiles } from './files/package-files.js';
export {
  HostContext,
  LOOK,
  MachineContext,
  type HostScript,
  type HostStepInput,
  type MachineStepInput,
} from './host/host-context.js';
export {
  loginOf,
  machineReference,
  overridingLogin,
  paramsAs,
  paramsSource,
  requestParamsSource,
  targetOf,
  type Login,
  type LoginReference,
  type MachineGiven,
  type MachineInput,
  type OverridingLogin,
} from './host/machine-input.js';
export { DriverServiceConfig } from './service/driver-config.js';
export { driverService, type DriverServiceOptions } from './service/driver-service.js';
export { startDriver, type DriverDependencies, type DriverParts, type DriverPorts } from './service/start-driver.js';
export type { ClaimOf, VimRegistry } from './vim-registry.js';
