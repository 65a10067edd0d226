/** Suites that a driver is held to, and a fake world for its plan. Not for a product's use. */
export { driverBench, type BenchOptions, type CrashPoints, type DriverBench } from './bench.js';
export { OfferedStandIns, type OfferedStep } from './offered-stand-ins.js';
export { driverContractSuite, type ContractSuite } from './contract-suite.js';
export { crashSuite, type CrashSuite } from './crash-suite.js';
export { FakeVims } from './fake-vims.js';
export { fieldsOf, parameterTableSuite, schemaPaths, setAt, type ParameterTable } from './parameter-table.js';
export { packagesOf } from './packages-of.js';
export { Crash, PlanRunner, type RunnerOptions, type StepPoint } from './plan-runner.js';
export { hookContextOf, INSTANCE, validateRequestOf, vnfc } from './requests.js';
export { ScriptBench, type ScriptEnd } from './script-bench.js';
export { undoSuite, type UndoSuite } from './undo-suite.js';
export { testKey, type TestKey } from './test-key.js';
