import { isJsonObject, mergePatch, RequestError, type InvalidParam, type JsonObject } from '@windlass/foundation';
import type { AffectedVnfc, Vnfc } from '@windlass/mgmt-driver';
import type { ChangeExtVnfConnectivityRequest, ExtVirtualLinkData, InstantiatedVnfInfo, KeyValuePairs } from '@windlass/sol003';
import { ALIKE, asksOneByOne, baseHotOf } from '@windlass/user-data';
import type { Flavour } from '@windlass/vnf-package';
import { differingConfigs, takes } from '../../shared-steps/connectivity/unused-connectivity.js';
import type { DesiredState } from '../../records/desired-state.js';
import { portsAfter, renamedPorts, wrongPort } from './prepared-ports.js';

type ExtCp = ExtVirtualLinkData['extCps'][number];

/** What a request for another connectivity is held against. */
export interface Connected {
  desired: DesiredState;
  flavour: Flavour;
  info: Pick<InstantiatedVnfInfo, 'extCpInfo' | 'vnfcResourceInfo'>;
}

/**
 * The desired state with the connection points that the request names on other networks, or with other addresses (SOL003 5.5.2.11). Those that it
 * does not name stay as they are; a link that has none left is gone. Pure.
 * @throws RequestError 400 with the path of each field that can't be carried out
 */
export function reconnected(connected: Connected, request: ChangeExtVnfConnectivityRequest): DesiredState {
  const { desired } = connected;
  const invalidParams = [
    ...wrongLinks(connected, request.extVirtualLinks),
    ...wrongCps(connected, request),
    ...wrongParams(request),
  ];
  if (invalidParams.length > 0) {
    const detail = invalidParams.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
    throw new RequestError(400, 'request.invalid', detail, { invalidParams });
  }
  const named = namesOf(request.extVirtualLinks);
  const additionalParams = paramsWith(desired.additionalParams, request.additionalParams, named);
  return {
    ...desired,
    extVirtualLinks: linksWith(desired.extVirtualLinks ?? [], request.extVirtualLinks, named),
    ...(additionalParams === undefined ? {} : { additionalParams }),
  };
}

/** The connection points that links name. */
export const namesOf = (links: readonly ExtVirtualLinkData[]): Set<string> =>
  new Set(links.flatMap(({ extCps }) => extCps.map(({ cpdId }) => cpdId)));

/** The VNFCs with a connection point of these names. */
export const connectedBy = (names: ReadonlySet<string>, vnfcs: readonly Vnfc[]): AffectedVnfc[] =>
  vnfcs.filter(({ cps }) => cps.some(({ cpdId }) => names.has(cpdId))).map((vnfc) => ({ changeType: 'MODIFIED', vnfc }));

function linksWith(
  before: readonly ExtVirtualLinkData[],
  asked: readonly ExtVirtualLinkData[],
  named: ReadonlySet<string>,
): ExtVirtualLinkData[] {
  const staying = (link: ExtVirtualLinkData): ExtCp[] => link.extCps.filter(({ cpdId }) => !named.has(cpdId));
  const merged = (old: ExtVirtualLinkData | undefined, link: ExtVirtualLinkData): ExtVirtualLinkData => {
    const { extLinkPorts: _before, ...earlier } = old ?? link;
    const { extLinkPorts: _given, ...given } = link;
    return {
      ...earlier,
      ...given,
      ...portsAfter(old, link, (cpdId) => !named.has(cpdId)),
      extCps: [...(old === undefined ? [] : staying(old)), ...link.extCps.map(withoutInstances)],
    };
  };
  const kept = before.flatMap((old) => {
    const link = asked.find(({ id }) => id === old.id);
    if (link !== undefined) return [merged(old, link)];
    const extCps = staying(old);
    return extCps.length === 0 ? [] : [{ ...old, extCps }];
  });
  return [...kept, ...asked.filter(({ id }) => before.every((old) => old.id !== id)).map((link) => merged(undefined, link))];
}

/** A desired state concerns all instances of a connection point, those of the future too, so it names no single instance. */
const withoutInstances = ({ cpdId, cpConfig }: ExtCp): ExtCp => ({
  cpdId,
  cpConfig: cpConfig.map(({ cpInstanceId: _changed, ...config }) => config),
});

/**
 * `additionalParams.nfv` overrides what is computed. So what an earlier request said there of the named connection points is dropped, and what this
 * request says is kept.
 */
function paramsWith(
  before: KeyValuePairs | undefined,
  asked: KeyValuePairs | undefined,
  named: ReadonlySet<string>,
): KeyValuePairs | undefined {
  const nfv = (before as JsonObject | undefined)?.nfv;
  const patch = (asked as JsonObject | undefined)?.nfv;
  if (nfv === undefined && patch === undefined) return before;
  const old = isJsonObject(nfv) && isJsonObject(nfv.CP) ? { ...nfv, CP: withoutNames(nfv.CP, named) } : (nfv ?? {});
  return { ...before, nfv: patch === undefined ? old : mergePatch(old, patch) };
}

const withoutNames = (values: JsonObject, named: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !named.has(name)));

/** Of the parameter `nfv` only the connection points are this operation's. */
function wrongParams({ additionalParams }: ChangeExtVnfConnectivityRequest): InvalidParam[] {
  const nfv = (additionalParams as JsonObject | undefined)?.nfv;
  if (nfv === undefined) return [];
  if (!isJsonObject(nfv)) return [{ path: '/additionalParams/nfv', reason: 'expected an object with the member CP' }];
  return Object.keys(nfv)
    .filter((section) => section !== 'CP')
    .map((section) => ({
      path: `/additionalParams/nfv/${section}`,
      reason: 'only CP can be changed with the connectivity; leave it out',
    }));
}

function wrongLinks({ desired }: Connected, asked: readonly ExtVirtualLinkData[]): InvalidParam[] {
  const named = namesOf(asked);
  return asked.flatMap((each, index) => {
    const { id, resourceId } = each;
    if (asked.findIndex((link) => link.id === id) !== index)
      return [{ path: `/extVirtualLinks/${index}/id`, reason: `the link "${id}" stands in the list already; name it once` }];
    const before = desired.extVirtualLinks?.find((link) => link.id === id);
    const renamed = renamedPorts(before, each, (cpdId) => !named.has(cpdId), `/extVirtualLinks/${index}`);
    if (renamed.length > 0) return renamed;
    const left = (before?.extCps ?? []).map(({ cpdId }) => cpdId).filter((cpdId) => !named.has(cpdId));
    if (before === undefined || before.resourceId === resourceId || left.length === 0) return [];
    const reason = `the link "${id}" is network ${before.resourceId}, and ${left.join(', ')} would stay on it: name these too, or give the new network another id`;
    return [{ path: `/extVirtualLinks/${index}/resourceId`, reason }];
  });
}

interface NamedCp {
  path: string;
  link: ExtVirtualLinkData;
  cp: ExtCp;
  /** Named by an entry before this one. */
  again: boolean;
}

function wrongCps(
  connected: Connected,
  { extVirtualLinks: asked, additionalParams }: ChangeExtVnfConnectivityRequest,
): InvalidParam[] {
  const seen = new Set<string>();
  const named = namesOf(asked);
  const nfv = (additionalParams as JsonObject | undefined)?.nfv;
  const byParams = isJsonObject(nfv) && isJsonObject(nfv.CP) ? nfv.CP : {};
  const all = asked.flatMap((link, l): NamedCp[] =>
    link.extCps.map((cp, index) => {
      const again = seen.has(cp.cpdId);
      seen.add(cp.cpdId);
      return { path: `/extVirtualLinks/${l}/extCps/${index}`, link, cp, again };
    }),
  );
  return all.flatMap(
    (each) =>
      wrongCp(connected, each) ?? [
        ...(connected.desired.computed === undefined ? differingConfigs(connected.flavour, each) : []),
        ...each.cp.cpConfig.flatMap((_, n) => wrongConfig(connected, each, n, { named, byParams })),
      ],
  );
}

function wrongCp(connected: Connected, { path, cp: { cpdId }, again }: NamedCp): InvalidParam[] | undefined {
  const { flavour } = connected;
  const refused = (reason: string): InvalidParam[] => [{ path: `${path}/cpdId`, reason }];
  const external = flavour.cps.filter((cp) => cp.virtualLinkId === undefined).map(({ id }) => `"${id}"`);
  const known = flavour.cps.find(({ id }) => id === cpdId);
  if (known === undefined)
    return refused(
      `the flavour "${flavour.id}" has no external connection point "${cpdId}"; it has ${external.join(', ') || 'none'}`,
    );
  if (known.virtualLinkId !== undefined)
    return refused(
      `"${cpdId}" is inside of the VNF, on the virtual link "${known.virtualLinkId}"; external are ${external.join(', ') || 'none'}`,
    );
  if (again) return refused(`"${cpdId}" is connected by an entry before this one; name it once`);
  if (!taken(connected, cpdId, 'network') && !taken(connected, cpdId, 'port'))
    return refused(`the package's templates take no network for "${cpdId}": it can't be connected to another`);
  return undefined;
}

/** Whether the VNF can have the attribute: where a script of the package computes the values, the script knows what the templates ask for. */
const taken = ({ desired, flavour }: Connected, cpdId: string, attribute: string): boolean =>
  desired.computed !== undefined || takes(flavour, cpdId, attribute);

const protocolsOf = (configs: ExtCp['cpConfig']) =>
  configs.flatMap(({ cpProtocolData = [] }) => cpProtocolData.map((data, index) => ({ data, index })));

function wrongConfig(
  connected: Connected,
  { path, link, cp }: NamedCp,
  n: number,
  { named, byParams }: { named: ReadonlySet<string>; byParams: JsonObject },
): InvalidParam[] {
  const { info, flavour, desired } = connected;
  const { cpdId } = cp;
  const config = cp.cpConfig[n];
  const at = `${path}/cpConfig/${n}`;
  const found: InvalidParam[] = [];
  const instances = (info.extCpInfo ?? []).filter((each) => each.cpdId === cpdId);
  const { cpInstanceId } = config ?? {};
  if (cpInstanceId !== undefined && !instances.some(({ id }) => id === cpInstanceId))
    found.push({ path: `${at}/cpInstanceId`, reason: `the VNF has no instance ${cpInstanceId} of "${cpdId}"` });
  else if (cpInstanceId !== undefined && instances.length > 1)
    found.push({
      path: `${at}/cpInstanceId`,
      reason: `"${cpdId}" has ${instances.length} instances, which the templates connect alike: leave it out to change all of them`,
    });
  const asked = { at, link, cpdId, linkPortId: config?.linkPortId, instances: instances.length, byParams: byParams[cpdId] };
  found.push(...wrongPort(connected, asked, (other) => !named.has(other)));
  const addressed = protocolsOf(config === undefined ? [] : [config]).flatMap(({ data, index }) =>
    (data.ipOverEthernet?.ipAddresses ?? []).map((addresses, i) => ({
      addresses,
      path: `${at}/cpProtocolData/${index}/ipOverEthernet/ipAddresses/${i}`,
    })),
  );
  for (const { addresses, path: address } of addressed) {
    const fixed = addresses.fixedAddresses ?? [];
    if ((fixed.length > 0 || addresses.subnetId !== undefined) && !taken(connected, cpdId, 'fixed_ips'))
      found.push({
        path: address,
        reason: `the templates take no addresses for "${cpdId}": the VIM chooses them; leave ipOverEthernet out`,
      });
    else if (
      fixed.length > 0 &&
      instances.length > 1 &&
      desired.computed === undefined &&
      !asksOneByOne(baseHotOf(flavour), cpdId)
    )
      found.push({
        path: `${address}/fixedAddresses`,
        reason: `gives one address to "${cpdId}", of which there are ${instances.length}: ${ALIKE(cpdId)}`,
      });
  }
  return found;
}
