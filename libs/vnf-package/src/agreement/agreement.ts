import type { BaseHot } from '../hot/base-hot.js';
import type { HotGroup } from '../hot/hot-resources.js';
import type { PackageWarning } from '../refusals/package-error.js';
import { desiredCounts, groupSize, permitsFixed } from '../model/scaling.js';
import type { Flavour } from '../model/model.js';

/**
 * Where the templates of a flavour and its VNFD say different things. Warnings, not refusals: a package that disagrees with itself
 * at a level nobody asks for works, and the reference system looks at neither.
 */
export function disagreements(flavour: Flavour, hot: BaseHot): PackageWarning[] {
  return [
    ...serverWarnings(flavour, hot),
    ...referenceWarnings(flavour, hot),
    ...hot.groups.flatMap((group) => groupWarnings(flavour, hot, group)),
  ];
}

function serverWarnings(flavour: Flavour, hot: BaseHot): PackageWarning[] {
  const counts = desiredCounts(flavour);
  return flavour.vdus.flatMap((vdu) => {
    const { id } = vdu;
    const servers = hot.servers.filter(({ vduId }) => vduId === id);
    const ungrouped = servers.filter(({ group }) => group === undefined).length;
    const wanted = counts[id] ?? 0;
    if (servers.length === 0) {
      return [{ code: 'base-hot.no-server', subject: hot.top.path, reason: `makes no server named as the VDU "${id}"` }];
    }
    if (servers.length === ungrouped && !permitsFixed(flavour, vdu, ungrouped, wanted)) {
      const reason = `makes ${ungrouped} "${id}" without a group, where the VNFD's default level wants ${wanted}`;
      return [{ code: 'base-hot.not-scalable', subject: hot.top.path, reason }];
    }
    return [];
  });
}

function referenceWarnings(flavour: Flavour, hot: BaseHot): PackageWarning[] {
  const known: Record<string, readonly { id: string }[]> = { VDU: [...flavour.vdus, ...flavour.storages], CP: flavour.cps };
  return hot.nfvReferences.flatMap(({ section, name, attribute }) => {
    const nodes = Object.hasOwn(known, section) ? known[section] : undefined;
    if (nodes?.some(({ id }) => id === name) === true) return [];
    const reason = `asks for [nfv, ${section}, ${name}, ${attribute}], which the VNFD's flavour does not define`;
    return [{ code: 'base-hot.unknown-reference', subject: hot.top.path, reason }];
  });
}

function groupWarnings(flavour: Flavour, hot: BaseHot, group: HotGroup): PackageWarning[] {
  const warn = (reason: string) => ({ code: 'base-hot.group-size', subject: `${hot.top.path}, ${group.name}`, reason });
  const initial = groupSize(group, desiredCounts(flavour));
  if (initial === undefined) return [warn('multiplies no server named as a VDU of the flavour')];
  const warnings: PackageWarning[] = [];
  if (group.desired.kind === 'literal' && group.desired.size !== initial) {
    warnings.push(
      warn(`starts with ${group.desired.size}, the VNFD's default level wants ${initial}; the VNFD's number is used`),
    );
  }
  for (const [what, size] of sizesOf(flavour, group)) {
    if (size === undefined || fits(group, size)) continue;
    warnings.push(warn(`allows ${group.minSize ?? 0} to ${group.maxSize ?? 'any number'}, ${what} wants ${size}`));
  }
  return warnings;
}

/** True if Heat would take this size. */
export const fits = ({ minSize, maxSize }: HotGroup, size: number): boolean =>
  size >= (minSize ?? 0) && size <= (maxSize ?? Infinity);

/** Sizes that the VNFD may ever want of a group. */
function sizesOf(flavour: Flavour, group: HotGroup): [string, number | undefined][] {
  const levels = flavour.instantiationLevels.map(
    ({ id }) =>
      [`instantiation level "${id}"`, groupSize(group, desiredCounts(flavour, { instantiationLevelId: id }))] as [
        string,
        number | undefined,
      ],
  );
  const at = (level: (aspect: { maxScaleLevel: number }) => number) =>
    groupSize(
      group,
      desiredCounts(flavour, {
        scaleStatus: flavour.scalingAspects.map((aspect) => ({ aspectId: aspect.id, scaleLevel: level(aspect) })),
      }),
    );
  return [...levels, ['scale level 0', at(() => 0)], ['the highest scale level', at(({ maxScaleLevel }) => maxScaleLevel)]];
}
