export { DRIVER_LANGUAGES, newDriver, type DriverLanguage, type NewDriver } from './new-driver.js';
export { execParts, execService, ExecServiceConfig } from './exec-service.js';
export { ExecutableDriver } from './executable-driver.js';
export type { StepMachines } from './step-machines.js';
export type { Executable, ProcessUser } from './driver-process.js';
export { readExample, type Example } from './trial/example.js';
export { tryDriver } from './trial/try-driver.js';
export type { Tried } from './trial/tried.js';
