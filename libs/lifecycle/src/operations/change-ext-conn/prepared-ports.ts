import { isJsonObject, type InvalidParam, type Json } from '@windlass/foundation';
import type { ExtVirtualLinkData } from '@windlass/sol003';
import type { Flavour } from '@windlass/vnf-package';
import { makesPortItself, mayBePrepared, takes } from '../../shared-steps/connectivity/unused-connectivity.js';
import type { DesiredState } from '../../records/desired-state.js';

type Links = readonly ExtVirtualLinkData[];
type LinkPort = NonNullable<ExtVirtualLinkData['extLinkPorts']>[number];

/** A configuration of a connection point that a request names. */
export interface AskedConfig {
  /** JSON pointer of the configuration. */
  at: string;
  link: ExtVirtualLinkData;
  cpdId: string;
  linkPortId: string | undefined;
  /** How many of the connection point there are. */
  instances: number;
  /** What `additionalParams.nfv.CP` of the request says of it, which goes before what links say. */
  byParams: Json | undefined;
}

/**
 * Why a connection point can't have the port that it is given, or why it needs one.
 * @param staying connection points that the request does not name, and that keep their ports
 */
export function wrongPort(
  { flavour, desired }: { flavour: Flavour; desired: DesiredState },
  { at, link, cpdId, linkPortId, instances, byParams }: AskedConfig,
  staying: (cpdId: string) => boolean,
): InvalidParam[] {
  const refused = (reason: string): InvalidParam[] => [{ path: `${at}/linkPortId`, reason }];
  const scripted = desired.computed !== undefined;
  const ports = (link.extLinkPorts ?? []).map(({ id }) => `"${id}"`).join(', ') || 'none';
  if (linkPortId === undefined)
    return scripted || !takes(flavour, cpdId, 'port') || (isJsonObject(byParams) && byParams.port !== undefined)
      ? []
      : refused(
          `is missing: the templates take a prepared port for "${cpdId}"; name one of the link's extLinkPorts, which are ${ports}`,
        );
  if (!scripted && !mayBePrepared(flavour, cpdId)) return refused(makesPortItself(cpdId, 'give a network'));
  const port = link.extLinkPorts?.find(({ id }) => id === linkPortId);
  if (port === undefined) return refused(`the link has no port "${linkPortId}"; its extLinkPorts are ${ports}`);
  if (!scripted && instances > 1)
    return refused(`gives one port to "${cpdId}", of which there are ${instances}: a port is one connection point's`);
  const { resourceId } = port.resourceHandle;
  const holder = holdersOf(desired.extVirtualLinks ?? []).find((each) => each.resourceId === resourceId && staying(each.cpdId));
  return holder === undefined
    ? []
    : refused(`the port ${resourceId} is that of "${holder.cpdId}", which stays as it is: give another port`);
}

/**
 * The ports of a link once a request has named some of its connection points: those that it gives, and those of connection points that stay.
 * @param staying as of {@link wrongPort}
 */
export function portsAfter(
  before: ExtVirtualLinkData | undefined,
  asked: ExtVirtualLinkData,
  staying: (cpdId: string) => boolean,
): Pick<ExtVirtualLinkData, 'extLinkPorts'> {
  const given = asked.extLinkPorts ?? [];
  const kept = keptPorts(before, staying).filter(({ id }) => given.every((port) => port.id !== id));
  const ports = [...kept, ...given];
  return ports.length === 0 ? {} : { extLinkPorts: ports };
}

/** Ports of a link whose names are in use already, for a different port of a connection point that stays. */
export function renamedPorts(
  before: ExtVirtualLinkData | undefined,
  { extLinkPorts = [] }: ExtVirtualLinkData,
  staying: (cpdId: string) => boolean,
  path: string,
): InvalidParam[] {
  const kept = keptPorts(before, staying);
  return extLinkPorts.flatMap(({ id, resourceHandle: { resourceId } }, index) => {
    const has = kept.find((port) => port.id === id)?.resourceHandle.resourceId;
    if (has === undefined || has === resourceId) return [];
    const reason = `"${id}" is the port ${has} of a connection point that stays as it is: give ${resourceId} another id`;
    return [{ path: `${path}/extLinkPorts/${index}/id`, reason }];
  });
}

/** Which port a link hands in for a connection point; undefined where it hands in none. */
export const portGivenTo = (links: Links, cpdId: string): string | undefined =>
  holdersOf(links).find((each) => each.cpdId === cpdId)?.resourceId;

const holdersOf = (links: Links): { cpdId: string; resourceId: string }[] =>
  links.flatMap(({ extCps, extLinkPorts = [] }) =>
    extCps.flatMap(({ cpdId, cpConfig }) =>
      extLinkPorts
        .filter(({ id }) => cpConfig.some(({ linkPortId }) => linkPortId === id))
        .map(({ resourceHandle: { resourceId } }) => ({ cpdId, resourceId })),
    ),
  );

const keptPorts = (link: ExtVirtualLinkData | undefined, staying: (cpdId: string) => boolean): LinkPort[] => {
  const named = (link?.extCps ?? []).filter(({ cpdId }) => staying(cpdId)).flatMap(({ cpConfig }) => cpConfig);
  return (link?.extLinkPorts ?? []).filter(({ id }) => named.some(({ linkPortId }) => linkPortId === id));
};
