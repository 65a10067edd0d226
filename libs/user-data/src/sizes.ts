import { RequestError } from '@windlass/foundation';
import {
  desiredCounts,
  fits,
  groupSize,
  permitsFixed,
  serversOfTemplates,
  sizedByProfileAlone,
  type BaseHot,
  type Flavour,
} from '@windlass/vnf-package';
import type { ComputedData } from './computed-data.js';
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
  if (input.scripted !== true) refuseFixedServers(input, counts);
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

function refuseFixedServers({ flavour, computed, scaleStatus }: UserDataInput, counts: Readonly<Record<string, number>>): void {
  // A VNF that is there keeps what it was made with: an earlier release made one of a VDU whose vdu_profile alone wants more.
  const asked = flavour.vdus.filter((vdu) => scaleStatus === undefined || !sizedByProfileAlone(flavour, vdu));
  const fault = serverFault(flavour, computed, Object.fromEntries(asked.map(({ id }) => [id, counts[id] ?? 0])));
  if (fault !== undefined) throw new RequestError(422, 'user-data.not-scalable', fault);
}

/**
 * Where the templates make a VDU's servers without a group in another number than is wanted: in words, undefined where they do not.
 * @param computed what a script has made: a resource for each VNFC, `VDU1-0`, `VDU1-1`, say
 */
export function serverFault(
  flavour: Flavour,
  computed: ComputedData | null | undefined,
  counts: Readonly<Record<string, number>>,
): string | undefined {
  const hot = baseHotOf(flavour);
  const own = computed?.template;
  const carried = Object.fromEntries(Object.entries(hot.files).map(([name, { text }]) => [name, text]));
  const servers = own === undefined ? hot.servers : serversOfTemplates(own, { ...carried, ...computed?.files });
  const vdus = new Set(flavour.vdus.map(({ id }) => id));
  for (const [vduId, wanted] of Object.entries(counts)) {
    const made = servers.filter((server) => nodeOf(server.vduId, vdus) === vduId);
    const carriedAlone = hot.servers.some((server) => server.vduId === vduId && server.group === undefined);
    if (made.some(({ group }) => group !== undefined) || made.length === wanted || (made.length === 0 && !carriedAlone)) continue;
    const vdu = flavour.vdus.find(({ id }) => id === vduId);
    if (vdu !== undefined && permitsFixed(flavour, vdu, made.length, wanted)) continue;
    const what = own === undefined ? hot.top.path : "the script's template";
    return `${what} makes ${made.length} "${vduId}" without an auto scaling group, ${wanted} are wanted by the VNFD (its level, or min_number_of_instances): multiply it by an OS::Heat::AutoScalingGroup`;
  }
  return undefined;
}

/** The node of the VNFD that a name stands for: its own, or `VDU1` in `VDU1-2`, which scripts make of it. */
export const nodeOf = (name: string, known: ReadonlySet<string>): string => (known.has(name) ? name : name.replace(/-\d+$/, ''));
