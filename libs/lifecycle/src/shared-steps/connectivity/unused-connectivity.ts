import { nearest, RequestError, type InvalidParam } from '@windlass/foundation';
import { vimKind, type ExtVirtualLinkData, type InstantiateVnfRequest, type VimConnectionInfo } from '@windlass/sol003';
import { ALIKE, asksOneByOne, baseHotOf } from '@windlass/user-data';
import { makesOwnPort, type Flavour } from '@windlass/vnf-package';
import { isDeepStrictEqual } from 'node:util';
import type { VimChoice } from '../../records/records.js';

type Links = readonly ExtVirtualLinkData[];
type ExtCp = ExtVirtualLinkData['extCps'][number];
type Asked = Pick<InstantiateVnfRequest, 'extVirtualLinks' | 'extManagedVirtualLinks' | 'vimConnectionInfo'>;

/** Whether the templates ask for that of a connection point. */
export const takes = (flavour: Flavour, cpdId: string, attribute: string): boolean =>
  baseHotOf(flavour).nfvReferences.some(
    (asked) => asked.section === 'CP' && asked.name === cpdId && asked.attribute === attribute,
  );

/** Whether a prepared port can be that of a connection point: the templates ask for one, or were made from the VNFD. */
export const mayBePrepared = (flavour: Flavour, cpdId: string): boolean =>
  takes(flavour, cpdId, 'port') || makesOwnPort(flavour, cpdId);

/**
 * Refuses members of a request about networks that no template can follow: the VNF would be connected differently from what was asked for.
 * @throws RequestError 400 with the path of each member
 */
export function refuseUnusedConnectivity(flavour: Flavour, { extVirtualLinks = [], extManagedVirtualLinks = [] }: Asked): void {
  const invalidParams = [
    ...againNamed(
      cpsOf(extVirtualLinks).map(({ path, cp }) => [`${path}/cpdId`, cp.cpdId]),
      (id) => `"${id}" is connected by an entry before this one; name it once`,
    ),
    ...againNamed(
      extManagedVirtualLinks.map((link, index) => [
        `/extManagedVirtualLinks/${index}/vnfVirtualLinkDescId`,
        link.vnfVirtualLinkDescId,
      ]),
      (id) => `"${id}" is given by an entry before this one; name it once`,
    ),
    ...cpsOf(extVirtualLinks).flatMap((each) => wrongCp(flavour, each)),
  ];
  const [first] = invalidParams;
  if (first === undefined) return;
  const detail = invalidParams.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
  throw new RequestError(400, 'request.invalid', detail, { invalidParams });
}

/** What a request says of its networks and VIMs and has no effect, in sentences. @param vim where the VNF is made */
export function unusedConnectivity(
  flavour: Flavour,
  { extVirtualLinks = [], extManagedVirtualLinks = [], vimConnectionInfo = [] }: Asked,
  vim: VimChoice,
): string[] {
  const links = flavour.virtualLinks.map(({ id }) => id);
  const here = [vim.connectionId, vim.vimId];
  const elsewhere = [...extVirtualLinks, ...extManagedVirtualLinks].filter(
    ({ vimConnectionId }) => vimConnectionId !== undefined && !here.includes(vimConnectionId),
  );
  return [
    ...unusedOfLinks(flavour, extVirtualLinks),
    ...cpsOf(extVirtualLinks).flatMap(({ cp: { cpdId, cpConfig } }) =>
      cpConfig.some(({ cpInstanceId }) => cpInstanceId !== undefined)
        ? [`the cpInstanceId that is given to "${cpdId}" has no effect: nothing is there yet`]
        : [],
    ),
    ...extManagedVirtualLinks.flatMap(({ vnfVirtualLinkDescId: id, resourceId }) =>
      links.includes(id)
        ? []
        : [`the network ${resourceId} has no effect: ${hasNone(flavour, 'virtual link of its own', id, links)}`],
    ),
    ...elsewhere.map(
      ({ id, vimConnectionId }) =>
        `the vimConnectionId "${vimConnectionId ?? ''}" of the link "${id}" is not that of the VIM that the VNF is made in ("${vim.connectionId}"), where its network is looked for`,
    ),
    ...vimConnectionInfo
      .filter(({ id, vimType }) => id !== vim.connectionId && vimKind(vimType) === 'openstack')
      .map(({ id }) => `the VIM connection "${id}" is not used: a VNF lies in one VIM, and "${vim.connectionId}" is chosen`),
    ...vimConnectionInfo.filter(({ id }) => id === vim.connectionId).flatMap(unreadAccess),
  ];
}

/** What a described VIM is logged in to with. */
const READ_ACCESS = [
  ...['authUrl', 'region', 'username', 'password', 'userDomain', 'project', 'projectDomain'],
  ...['projectId', 'userDomainId', 'projectDomainId', 'project_id', 'user_domain_id', 'project_domain_id'],
];

/** Of `interfaceInfo`, beside how its certificate is looked at. */
const READ_INTERFACE = ['endpoint', 'skipCertificateVerification', 'skipCertificateHostnameCheck', 'trustedCertificates'];

/** Names alone are told: values may be secrets. */
function unreadAccess({ vimId, id, accessInfo = {}, interfaceInfo = {} }: VimConnectionInfo): string[] {
  if (vimId !== undefined) return [];
  const unread = (part: string, given: object, read: readonly string[]): string[] =>
    Object.keys(given)
      .filter((name) => !read.includes(name))
      .map((name) => {
        const meant = nearest(name.slice(0, 100), read);
        const advice = meant === undefined ? 'leave it out' : `did you mean ${meant}?`;
        return `${part}.${name.slice(0, 100)} of the VIM connection "${id}" is not used: ${advice}`;
      });
  return [...unread('accessInfo', accessInfo, READ_ACCESS), ...unread('interfaceInfo', interfaceInfo, READ_INTERFACE)];
}

/** Why a prepared port has no use. @param instead what a request may give */
export const makesPortItself = (cpdId: string, instead: string): string =>
  `the templates make the port of "${cpdId}" themselves: leave it out, and ${instead}; or have the package's template take the port (get_param: [nfv, CP, ${cpdId}, port])`;

/** What of external links has no effect, in sentences. */
export function unusedOfLinks(flavour: Flavour, links: Links): string[] {
  const known = flavour.cps.filter(({ virtualLinkId }) => virtualLinkId === undefined).map(({ id }) => id);
  return [
    ...cpsOf(links).flatMap(({ cp }) => {
      const { cpdId } = cp;
      if (!takes(flavour, cpdId, 'network') && !takes(flavour, cpdId, 'port'))
        return flavour.cps.some(({ id }) => id === cpdId)
          ? [`"${cpdId}" is not connected as the request says: the package's templates take no network for it`]
          : [`"${cpdId}" is connected to nothing: ${hasNone(flavour, 'external connection point', cpdId, known)}`];
      return unusedOfCp(flavour, cp);
    }),
    ...links.flatMap(({ id, extLinkPorts = [], extCps }) => {
      const named = extCps.flatMap(({ cpConfig }) => cpConfig.map(({ linkPortId }) => linkPortId));
      return extLinkPorts
        .filter((port) => !named.includes(port.id))
        .map((port) => `the port "${port.id}" of the link "${id}" is not used: no cpConfig names it as its linkPortId`);
    }),
  ];
}

function unusedOfCp(flavour: Flavour, { cpdId, cpConfig }: ExtCp): string[] {
  const ethernets = cpConfig.flatMap(({ cpProtocolData = [] }) =>
    cpProtocolData.flatMap(({ ipOverEthernet = [] }) => ipOverEthernet),
  );
  const addresses = ethernets.flatMap(({ ipAddresses = [] }) => ipAddresses);
  const taken = takes(flavour, cpdId, 'fixed_ips');
  const chosen = addresses.some(
    ({ type, numDynamicAddresses = 0, subnetId }) =>
      subnetId === undefined && (numDynamicAddresses > 1 || (numDynamicAddresses > 0 && type === 'IPV6')),
  );
  const hasMac = ethernets.some(({ macAddress }) => macAddress !== undefined) && !takes(flavour, cpdId, 'mac_address');
  const hasPort = cpConfig.some(({ linkPortId }) => linkPortId !== undefined);
  return [
    ...(hasMac ? [`the MAC address that is given to "${cpdId}" is not applied: templates take none`] : []),
    ...(!taken && addresses.some(({ subnetId }) => subnetId !== undefined)
      ? [`the subnetId that is given to "${cpdId}" has no effect: the package's templates take no fixed_ips for it`]
      : []),
    ...(taken && chosen
      ? [
          `how many addresses "${cpdId}" gets, and of which family, is the VIM's choice: numDynamicAddresses says it with a subnetId`,
        ]
      : []),
    ...(hasPort && ethernets.length > 0
      ? [`the addresses that are given to "${cpdId}" have no effect: a prepared port has its own`]
      : []),
  ];
}

function wrongCp(flavour: Flavour, { path, link, cp: { cpdId, cpConfig } }: NamedCp): InvalidParam[] {
  const others = differingConfigs(flavour, { path, cp: { cpdId, cpConfig } });
  const each = cpConfig.flatMap(({ linkPortId, cpProtocolData = [] }, index) => {
    const at = `${path}/cpConfig/${index}`;
    const found: InvalidParam[] = [];
    if (linkPortId !== undefined) {
      const ports = (link.extLinkPorts ?? []).map(({ id }) => id);
      if (!ports.includes(linkPortId)) {
        const has = ports.length === 0 ? 'none' : ports.map((id) => `"${id}"`).join(', ');
        found.push({ path: `${at}/linkPortId`, reason: `the link has no port "${linkPortId}"; its extLinkPorts are ${has}` });
      } else if (!mayBePrepared(flavour, cpdId)) {
        found.push({ path: `${at}/linkPortId`, reason: makesPortItself(cpdId, 'give addresses') });
      }
    }
    if (takes(flavour, cpdId, 'fixed_ips')) return found;
    cpProtocolData.forEach(({ ipOverEthernet }, p) =>
      (ipOverEthernet?.ipAddresses ?? []).forEach(({ fixedAddresses = [] }, a) => {
        if (fixedAddresses.length === 0 || linkPortId !== undefined) return;
        found.push({
          path: `${at}/cpProtocolData/${p}/ipOverEthernet/ipAddresses/${a}/fixedAddresses`,
          reason: `the templates take no addresses for "${cpdId}": the VIM chooses them; leave ipOverEthernet out, or have the package's template take them (get_param: [nfv, CP, ${cpdId}, fixed_ips])`,
        });
      }),
    );
    return found;
  });
  return [...others, ...each];
}

/** Configurations that differ from the first one, where the templates make all ports of the connection point alike. */
export function differingConfigs(
  flavour: Flavour,
  { path, cp: { cpdId, cpConfig } }: Pick<NamedCp, 'path' | 'cp'>,
): InvalidParam[] {
  if (asksOneByOne(baseHotOf(flavour), cpdId)) return [];
  const given = (config: ExtCp['cpConfig'][number] | undefined): object => ({
    ...config,
    cpConfigId: undefined,
    cpInstanceId: undefined,
  });
  const reason = `configures an instance of "${cpdId}" otherwise than the first, and the templates make all of them alike: ${ALIKE(cpdId)}`;
  return cpConfig.flatMap((config, index) =>
    isDeepStrictEqual(given(config), given(cpConfig[0])) ? [] : [{ path: `${path}/cpConfig/${index}`, reason }],
  );
}

interface NamedCp {
  /** JSON pointer. */
  path: string;
  link: ExtVirtualLinkData;
  cp: ExtCp;
}

const cpsOf = (links: Links): NamedCp[] =>
  links.flatMap((link, l) => link.extCps.map((cp, c) => ({ path: `/extVirtualLinks/${l}/extCps/${c}`, link, cp })));

function againNamed(named: readonly (readonly [path: string, id: string])[], reason: (id: string) => string): InvalidParam[] {
  return named.flatMap(([path, id], index) =>
    named.findIndex(([, other]) => other === id) < index ? [{ path, reason: reason(id) }] : [],
  );
}

function hasNone(flavour: Flavour, what: string, name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  const question = meant === undefined ? '' : ` (did you mean "${meant}"?)`;
  return `flavour "${flavour.id}" has no ${what} "${name}"${question}; it has ${known.map((id) => `"${id}"`).join(', ') || 'none'}`;
}
