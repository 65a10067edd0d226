import type { ErrorReport } from '@windlass/saga';

/** What a VIM's refusal is as an HTTP status: its own, where its code tells it. */
const VIM_STATUS: Readonly<Record<string, number>> = {
  'openstack.bad-request': 400,
  'openstack.unauthorized': 401,
  'openstack.forbidden': 403,
  'openstack.not-found': 404,
  'openstack.conflict': 409,
  'openstack.too-large': 413,
  'openstack.refused': 502,
  'heat.template-invalid': 400,
  'heat.stack-exists': 409,
  'heat.stack-not-found': 404,
  'heat.stack-elsewhere': 409,
  'stack.not-ours': 409,
  'stack.other-size': 502,
  'image.not-ours': 409,
  'glance.image-exists': 409,
  'glance.not-active': 502,
  'kubernetes.not-ours': 409,
  'kubernetes.strange-answer': 502,
  'openstack.unexpected-answer': 502,
  'openstack.answer-too-large': 502,
};

/** Work that the VIM began and did not finish. */
const VIM_FAILED = /^stack\.[a-z]+-failed$/;

/** Defects, whatever the request: a driver or a service of ours broke its contract, a plan is impossible, a record is damaged. */
const DEFECT =
  /^(?:internal|plan|contribution|sealing|messaging|driver|step|secret|enrolment|config)\.|^(?:remote\.(?:bad-answer|stale-epoch)|grant\.bad-answer|user-data\.no-(?:sandbox|python)|package\.(?:changed|build-failed)|heat\.bad-tag)$/;

/**
 * The error with the status that an occurrence shows (SOL003 5.5.2.13, `error`). A user's mistake that shows only when the operation runs (a refused
 * login, a missing flavor, unfit nodes) has 422. A refusal of the VIM has the VIM's status, or 502. 500 is left to defects. A status that the thrower
 * gave stays.
 */
export function withLateStatus(error: ErrorReport): ErrorReport {
  if (error.kind !== 'terminal' || error.status !== 500 || DEFECT.test(error.code)) return error;
  return { ...error, status: VIM_STATUS[error.code] ?? (VIM_FAILED.test(error.code) ? 502 : 422) };
}
