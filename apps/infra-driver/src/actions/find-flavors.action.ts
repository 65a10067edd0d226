import { maskUrlUser, seconds, TerminalError } from '@windlass/foundation';
import { findFlavorsAction, type FindFlavorsOutput, type WantedFlavor } from '@windlass/lifecycle';
import type { Flavor } from '@windlass/openstack';
import { infraAction, projectOf } from './infra-context.js';

/** Looks for the smallest flavors that VDUs fit into, before anything is made. */
export const findFlavors = infraAction(findFlavorsAction, {
  apply: async ({ openStack, input: { vim, wanted } }) => {
    if (wanted.length === 0) return { flavors: {} } satisfies FindFlavorsOutput;
    const known = (await openStack.nova.listFlavors()).toSorted(bySize);
    const found = wanted.map((each) => ({ each, flavor: known.find((flavor) => fits(flavor, each)) }));
    const without = found.filter(({ flavor }) => flavor === undefined).map(({ each }) => sizeOf(each));
    if (without.length > 0) {
      const where = `VIM ${vim.connectionId} (${maskUrlUser(vim.authUrl)}, project ${projectOf(vim)})`;
      const advice =
        'have one made, then retry; or roll the operation back and ask anew with one named in additionalParams.nfv.VDU.<VDU>.flavor';
      throw new TerminalError(
        'flavor.none-fits',
        `${where} has no flavor for ${without.join('; ')}: ${advice}. Nothing was made`,
      );
    }
    return {
      flavors: Object.fromEntries(found.map(({ each, flavor }) => [each.vduId, flavor?.name ?? ''])),
    } satisfies FindFlavorsOutput;
  },
  retry: { attempts: 5, backoff: seconds(2), growth: 2 },
});

const fits = ({ vcpus, ramMiB, diskGiB }: Flavor, wanted: WantedFlavor): boolean =>
  vcpus >= wanted.vcpus && ramMiB >= wanted.ramMiB && diskGiB >= wanted.diskGiB;

/** Memory comes first, because a cloud runs out of it first. The name decides between equal flavors, so that the choice is always the same. */
const bySize = (a: Flavor, b: Flavor): number =>
  a.ramMiB - b.ramMiB || a.vcpus - b.vcpus || a.diskGiB - b.diskGiB || (a.name < b.name ? -1 : 1);

const sizeOf = ({ vduId, vcpus, ramMiB, diskGiB }: WantedFlavor): string =>
  `${vduId}, which needs ${vcpus} vCPU, ${ramMiB} MiB of memory and ${diskGiB} GiB of disk`;
