import { RequestError } from '@windlass/foundation';
import { VnfInfoModificationRequestBody, type VnfInfoModificationRequest } from '@windlass/sol003';
import { beginRefresh } from '../../shared-steps/clean-up/after-failure.js';
import { defineOperation, type RequestLookups } from '../../operation/operation-definition.js';
import { refuseWrongVims } from '../../operation/refuse-wrong-vims.js';
import type { PackageRecord } from '../../ports.js';
import { predictUnchanged } from '../../operation/predicted-drafts.js';
import { CERTIFICATES_MEMBER, SNAPSHOTS_MEMBER } from './cluster-request.js';
import { modifyInline } from './modify-inline.js';
import { connectionsOf, modified } from './modify-request.js';
import { modify as saga } from './modify.saga.js';

/** MODIFY_INFO (SOL003 5.4.3.3.4): what is kept of an instance, in either of its states. */
export const modify = defineOperation<VnfInfoModificationRequestBody>({
  ...saga,
  body: VnfInfoModificationRequestBody,
  usesVim: false,
  makesVms: false,
  grant: null,

  checkBeforeDrivers: async ({ request: asked, instance, lookups }) => {
    const request = withoutOwn(asked);
    const target = await targetOf(request, lookups);
    const { instance: changed } = modified(instance, request, target);
    if (request.vimConnectionInfo !== undefined)
      await refuseWrongVims(changed.vimConnectionInfo, lookups, connectionsOf(instance));
    // From here on the package is named by its id.
    return target === undefined ? request : { ...request, vnfPkgId: target.id };
  },

  predictDrafts: predictUnchanged,
  inline: modifyInline,
  afterFail: beginRefresh,
});

/** Removes members of Windlass's own routes (cluster.operation.ts). The PATCH ignores them, like all members that the standard does not have. */
function withoutOwn<T extends object>(request: T): T {
  const standard = { ...request };
  for (const member of [CERTIFICATES_MEMBER, SNAPSHOTS_MEMBER]) Reflect.deleteProperty(standard, member);
  return standard;
}

/** The package that a modification names. @throws RequestError 400 for an unknown one, 422 for one that is DISABLED */
async function targetOf(
  { vnfdId, vnfPkgId }: VnfInfoModificationRequest,
  lookups: RequestLookups,
): Promise<PackageRecord | undefined> {
  const named = vnfPkgId === undefined ? (vnfdId === undefined ? undefined : { vnfdId }) : { vnfPkgId };
  if (named === undefined) return undefined;
  const found = await lookups.package(named);
  if (found === undefined) {
    const [path, what, id] =
      'vnfPkgId' in named ? ['/vnfPkgId', 'the id', named.vnfPkgId] : ['/vnfdId', 'the VNFD', named.vnfdId];
    const reason = `no onboarded VNF package has ${what} ${id}`;
    throw new RequestError(400, 'request.invalid', `${path}: ${reason}`, { invalidParams: [{ path, reason }] });
  }
  if (!found.enabled)
    throw new RequestError(422, 'vnf-package.disabled', `VNF package ${found.record.id} is DISABLED: enable it first`);
  return found.record;
}
