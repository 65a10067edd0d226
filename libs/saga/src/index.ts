export * from './coordinator/coordinator.js';
export { JOURNAL_VERSION } from './coordinator/journal-version.js';
export type { CoordinatorOnlooker } from './coordinator/onlooker.js';
export {
  EPOCHS_OF_AN_INCARNATION,
  IncarnatedCoordinator,
  IncarnatedWakeUps,
  type Restoration,
} from './coordinator/incarnated-coordinator.js';
export * from './coordinator/messages.js';
export * from './engine/error-report.js';
export * from './engine/machine.js';
export * from './engine/nothing-done.js';
export * from './engine/transitions.js';
export * from './engine/outcome.js';
export * from './engine/policy.js';
export * from './engine/records.js';
export * from './engine/step-records.js';
export * from './plan/action-contract.js';
export * from './plan/compile.js';
export * from './plan/input-schema.js';
export type { OfferedAction, PlanBounds } from './plan/plan-bounds.js';
export { PLAN_LIMITS } from './plan/plan-shape.js';
export * from './plan/plan.js';
export * from './plan/references.js';
export * from './plan/refs.js';
export * from './ports.js';
export * from './view/step-view.js';
export * from './worker/action.js';
export * from './worker/fence.js';
export * from './worker/lease.js';
export * from './worker/step-worker.js';
