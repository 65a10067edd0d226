import { RequestError } from '@windlass/foundation';
import {
  desiredCounts,
  fits,
  groupSize,
  permitsFixed,
  sizedByProfileAlone,
  type BaseHot,
  type Flavour,
} from '@windlass/vnf-package';
import type { UserDataInput } from './instantiate-data.js';

/** The base HOT of a flavour. @throws RequestError 422 `user-data.no-base-hot`. */
export function baseHotOf(flavour: Flavour): BaseHot {
  if (flavour.baseHot !== undefined) return flavour.baseHot;
  throw new RequestError(
    422,
    'user-data.no-base-hot',
    `the package has no BaseHOT/${flavour.id}/, and none were made from its VNFD: its VDUs have nothing to boot from (name its manifests in additionalParams, and a Kubernetes cluster), or it was onboarded by an older release (onboard it again)`,
  );
}

/**
 * Members wanted of each auto scaling group, by the group's name; groups whose servers are no VDU of the VNFD are left out.
 * @throws RequestError 400 `user-data.size-out-of-range` where a group does not allow the size, and 422 `user-data.not-scalable`
 * where the template makes a VDU's servers without a group in another number than is wanted.
 */
export function groupSizes(input: UserDataInput): Record<string, number> {
  const { flavour, sizeField } = input;
  const hot = baseHotOf(flavour);
  const counts = vduCounts(input);
  refuseFixedServers(input, hot, counts);
  const sizes = hot.groups.map((group) => {
    const size = groupSize(group, counts);
    if (size !== undefined && !fits(group, size)) {
      const reason = `wants ${size} members of ${group.name}, whose template allows ${group.minSize ?? 0} to ${group.maxSize ?? 'any number'}`;
      const path = sizeField ?? '/instantiationLevelId';
      throw new RequestError(400, 'user-data.size-out-of-range', `${path} ${reason}`, { invalidParams: [{ path, reason }] });
    }
    return [group.name, size] as const;
  });
  return Object.fromEntries(sizes.filter((entry): entry is readonly [string, number] => entry[1] !== undefined));
}

/** Instances wanted of each VDU. @throws RequestError 400 as `desiredCounts`. */
export const vduCounts = ({ flavour, request, scaleStatus, vduCounts: given }: UserDataInput): Record<string, number> => ({
  ...desiredCounts(flavour, { instantiationLevelId: request.instantiationLevelId, scaleStatus }),
  ...given,
});

function refuseFixedServers(
  { flavour, scaleStatus }: UserDataInput,
  hot: BaseHot,
  counts: Readonly<Record<string, number>>,
): void {
  for (const vdu of flavour.vdus) {
    const { id: vduId } = vdu;
    const wanted = counts[vduId] ?? 0;
    // A VNF that is there keeps what it was made with: an earlier release made one of a VDU whose vdu_profile alone wants more.
    if (scaleStatus !== undefined && sizedByProfileAlone(flavour, vdu)) continue;
    const servers = hot.servers.filter((server) => server.vduId === vduId);
    if (
      servers.length === 0 ||
      servers.some(({ group }) => group !== undefined) ||
      permitsFixed(flavour, vdu, servers.length, wanted)
    )
      continue;
    throw new RequestError(
      422,
      'user-data.not-scalable',
      `${hot.top.path} makes ${servers.length} "${vduId}" without an auto scaling group, ${wanted} are wanted by the VNFD (its level, or min_number_of_instances): multiply it by an OS::Heat::AutoScalingGroup`,
    );
  }
}
