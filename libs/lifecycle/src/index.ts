export * from './operations/change-ext-conn/reconnect-actions.js';
export * from './records/audit-report.js';
export * from './records/audit-view.js';
export * from './records/internal-operation.js';
export * from './owner/internal-owner.js';
export * from './shared-steps/clean-up/internal-vim.js';
export { GAVE_WAY, snapshotOccurrence } from './internal/snapshot.saga.js';
export * from './events/changes.js';
export * from './events/events.js';
export * from './operation/asked-resources.js';
export {
  awaitGrantAction,
  grant,
  grantAction,
  requestGrantAction,
  type AskedGrant,
  type GrantInput,
} from './shared-steps/grant/grant-actions.js';
export * from './shared-steps/grant/grant-request.js';
export * from './records/granted-assets.js';
export * from './operations/heal/heal-actions.js';
export * from './operations/heal/heal-request.js';
export * from './shared-steps/clean-up/release-images.js';
export * from './records/shared-image.js';
export * from './preview/asked-of-vim.js';
export { heatRequest, operationTag, type HeatRequestContext } from './stack/heat-request.js';
export { imageRefsOf } from './stack/carried-images.js';
export * from './kubernetes/cluster-actions.js';
export { countsSaid, refOf } from './kubernetes/cluster-steps.js';
export * from './records/on-kubernetes.js';
export { vduOfObject } from './kubernetes/vdus-and-manifests.js';
export * from './records/described-tls.js';
export * from './records/desired-state.js';
export * from './records/granted-zones.js';
export * from './stack/infra-actions.js';
export * from './records/known-host-keys.js';
export { hostOfLimit } from './records/limit-keys.js';
export * from './records/names.js';
export * from './records/cluster-objects.js';
export * from './records/records.js';
export * from './records/services.js';
export * from './records/vim-access.js';
export {
  CERTIFICATES_MEMBER,
  CERTIFICATES_TASKS,
  SNAPSHOTS_MEMBER,
  SNAPSHOTS_TASKS,
} from './operations/modify/cluster-request.js';
export { modifyCertificates, modifySnapshots } from './operations/modify/cluster.operation.js';
export * from './operations/modify/modify-request.js';
export { propertiesOf } from './operations/modify/properties.js';
export * from './records/operation-state.js';
export * from './owner/transition.js';
export * from './operation/operation-definition.js';
export * from './operation/operation-table.js';
export * from './operations/operations.js';
export type { RegisteredVim } from './operation/registered-vim.js';
export { requestForDrivers, type EffectSubject, type RequestEffect } from './operation/request-effect.js';
export * from './operations/operate/operate-actions.js';
export * from './ports.js';
export * from './preview/estimate.js';
export * from './preview/known-durations.js';
export * from './operation/predicted-drafts.js';
export * from './preview/planned-steps.js';
export * from './preview/preview-operation.js';
export { awaitGraceAction } from './shared-steps/grant/grace.js';
export * from './operations/unread-params.js';
export * from './operation/hidden-params.js';
export * from './operation/hook-context.js';
export * from './shared-steps/grant/grant-inline.js';
export * from './shared-steps/resources/keep-resources.js';
export * from './operation/inline-run.js';
export * from './owner/lifecycle-owner.js';
export * from './operation/operation-saga.js';
export * from './records/retried-with.js';
export * from './operations/scale/leaving-members.js';
export * from './stack/resize-actions.js';
export { undoTag } from './operations/scale/scale-plan.js';
export * from './stack/user-data-actions.js';
