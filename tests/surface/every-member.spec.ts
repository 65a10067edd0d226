import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as sol003 from '@windlass/sol003';
import { MEMBERS, type BodyClass } from '@windlass/sol003';
import { describe, expect, it } from 'vitest';

/**
 * Every attribute of the request types of SOL003 2.6.1 and 3.3.1 (and of SOL005's packages) is used, kept, told of or refused, by the table `MEMBERS`. Of those
 * that are used a test is named in which they are: it fails where the member's effect is lost.
 */
const ROOT = join(import.meta.dirname, '../..');
const ETSI = join(ROOT, 'libs/sol003/src/schemas/etsi/SOL003');

/** The clause's own lists, for the types of which ETSI publishes no schema. */
const STANDARD: Readonly<Record<string, string>> = {
  CreateVnfRequest: 'vnfdId vnfInstanceName vnfInstanceDescription metadata',
  InstantiateVnfRequest:
    'flavourId instantiationLevelId extVirtualLinks extManagedVirtualLinks vimConnectionInfo localizationLanguage additionalParams extensions vnfConfigurableProperties',
  ScaleVnfRequest: 'type aspectId numberOfSteps additionalParams',
  ScaleVnfToLevelRequest: 'instantiationLevelId scaleInfo additionalParams',
  ScaleInfo: 'aspectId scaleLevel',
  TerminateVnfRequest: 'terminationType gracefulTerminationTimeout additionalParams',
  HealVnfRequest: 'cause additionalParams vnfcInstanceId healScript',
  OperateVnfRequest: 'changeStateTo stopType gracefulStopTimeout additionalParams vnfcInstanceId',
  ChangeExtVnfConnectivityRequest: 'extVirtualLinks vimConnectionInfo additionalParams',
  ChangeCurrentVnfPkgRequest: 'vnfdId extVirtualLinks extManagedVirtualLinks vimConnectionInfo additionalParams',
  VnfInfoModificationRequest:
    'vnfInstanceName vnfInstanceDescription vnfdId vnfConfigurableProperties metadata extensions vimConnectionInfo vimConnectionInfoDeleteIds vnfcInfoModifications vnfcInfoModificationsDeleteIds',
  VnfcInfoModification: 'id vnfcConfigurableProperties',
  CancelMode: 'cancelMode',
  ExtVirtualLinkData: 'id vimConnectionId resourceProviderId resourceId extCps extLinkPorts',
  VnfExtCpData: 'cpdId cpConfig',
  VnfExtCpConfig: 'cpInstanceId parentCpConfigId linkPortId createExtLinkPort cpProtocolData',
  CpProtocolData: 'layerProtocol ipOverEthernet',
  IpOverEthernetAddressData: 'macAddress segmentationId segmentationType ipAddresses',
  IpAddressData: 'type fixedAddresses numDynamicAddresses addressRange subnetId',
  IpAddressRangeData: 'minAddress maxAddress',
  ExtLinkPortData: 'id resourceHandle trunkResourceId',
  ResourceHandleData: 'vimConnectionId resourceProviderId resourceId vimLevelResourceType',
  ExtManagedVirtualLinkData:
    'id vnfVirtualLinkDescId vimConnectionId resourceProviderId resourceId vnfLinkPort extManagedMultisiteVirtualLinkId',
  VimConnectionInfoData: 'id vimId vimType interfaceInfo accessInfo extra',
  LccnSubscriptionRequest: 'filter callbackUri authentication verbosity',
  LifecycleChangeNotificationsFilter: 'vnfInstanceSubscriptionFilter notificationTypes operationTypes operationStates',
  VnfInstanceSubscriptionFilter: 'vnfdIds vnfProductsFromProviders vnfInstanceIds vnfInstanceNames',
  SubscriptionAuthentication: 'authType paramsBasic paramsOauth2ClientCredentials paramsOauth2ClientCert',
  PkgmSubscriptionRequest: 'filter callbackUri authentication',
  CreateVnfPkgInfoRequest: 'userDefinedData',
  UploadVnfPackageFromUriRequest: 'addressInformation userName password',
  VnfPkgInfoModification: 'operationalState userDefinedData',
};

const V2 = 'tests/lcm-v2/one-instance-two-versions.int.spec.ts';
const NETWORKS = [
  'libs/user-data/src/standard-user-data.spec.ts',
  'libs/user-data/src/addresses-of-instances.spec.ts',
  'libs/lifecycle/src/shared-steps/connectivity/unused-connectivity.spec.ts',
];
const LINKS = [
  ...NETWORKS,
  'tests/lifecycle/change-ext-conn.all.int.spec.ts',
  'tests/conformance/lifecycle-details.int.spec.ts',
  'libs/sol003/src/v2/v2-and-back.spec.ts',
];
const FILTERS = ['libs/sol003/src/notifications/matches-subscription.spec.ts', 'tests/notifications/subscriptions.int.spec.ts'];
const CALLBACKS = ['tests/notifications/subscriptions.int.spec.ts', 'tests/lcm-v2/subscriptions-v2.int.spec.ts'];
const VIMS = ['tests/lifecycle/wrong-vims.int.spec.ts', V2, 'tests/grant/nfvo.int.spec.ts'];
const GRANTS = ['tests/grant/nfvo.int.spec.ts', 'libs/lifecycle/src/shared-steps/grant/grant-that-is-not-used.spec.ts'];

/** Specs in which the used members of a type have their effect. */
const HELD: Readonly<Record<string, readonly string[]>> = {
  CreateVnfRequest: ['tests/conformance/lifecycle-details.int.spec.ts', V2, 'tests/notifications/hard-subscribers.int.spec.ts'],
  InstantiateVnfRequest: ['tests/packages/tosca-only.all.int.spec.ts', ...NETWORKS, V2, 'tests/packages/templated.int.spec.ts'],
  ScaleVnfRequest: ['tests/lifecycle/scale.int.spec.ts'],
  ScaleVnfToLevelRequest: ['tests/lifecycle/scale-to-level.int.spec.ts'],
  ScaleInfo: ['tests/lifecycle/scale-to-level.int.spec.ts'],
  TerminateVnfRequest: [V2, 'tests/lifecycle/tasks-of-operations.int.spec.ts', 'tests/lifecycle/unused-members.int.spec.ts'],
  HealVnfRequest: ['tests/lifecycle/heal.int.spec.ts', V2],
  OperateVnfRequest: ['tests/lifecycle/operate.int.spec.ts', V2, 'tests/packages/tosca-only.all.int.spec.ts'],
  ChangeExtVnfConnectivityRequest: ['tests/lifecycle/change-ext-conn.all.int.spec.ts'],
  ChangeCurrentVnfPkgRequest: [V2, 'libs/user-data/src/standard-user-data.spec.ts'],
  CancelMode: [V2],
  VnfInfoModificationRequest: ['tests/lifecycle/modify.int.spec.ts', V2],
  VnfcInfoModification: ['tests/lifecycle/modify.int.spec.ts'],
  ExtVirtualLinkData: LINKS,
  VnfExtCpData: LINKS,
  VnfExtCpConfig: LINKS,
  CpProtocolData: LINKS,
  IpOverEthernetAddressData: LINKS,
  IpAddressData: LINKS,
  IpAddressRangeData: LINKS,
  ExtLinkPortData: LINKS,
  ResourceHandleData: LINKS,
  ExtManagedVirtualLinkData: LINKS,
  VimConnectionInfoData: VIMS,
  VimConnectionInfoPatch: ['tests/lifecycle/modify.int.spec.ts', 'tests/lifecycle/wrong-vims.int.spec.ts'],
  LccnSubscriptionRequest: CALLBACKS,
  LifecycleChangeNotificationsFilter: FILTERS,
  VnfInstanceSubscriptionFilter: FILTERS,
  ProviderFilter: FILTERS,
  ProductFilter: FILTERS,
  VersionFilter: FILTERS,
  SubscriptionAuthentication: CALLBACKS,
  ParamsBasic: CALLBACKS,
  ParamsOauth2ClientCredentials: CALLBACKS,
  PkgmSubscriptionRequest: CALLBACKS,
  PkgmNotificationsFilter: FILTERS,
  UploadVnfPackageFromUriRequest: ['tests/packages/upload-from-uri.int.spec.ts'],
  VnfPkgInfoModification: ['tests/packages/states.int.spec.ts'],
  Grant: GRANTS,
  GrantLinks: ['apps/saga-coordinator/src/nfvo/nfvo-client.spec.ts', ...GRANTS],
  GrantLink: ['apps/saga-coordinator/src/nfvo/nfvo-client.spec.ts', ...GRANTS],
  GrantInfo: GRANTS,
  ZoneInfo: GRANTS,
  VimAssets: GRANTS,
  ComputeResourceFlavour: GRANTS,
  SoftwareImage: [...GRANTS, 'libs/user-data/src/standard-user-data.spec.ts'],
};

/** The classes of all request types with those that they nest, by the standard's name of the type. */
const CLASSES: ReadonlyMap<string, readonly BodyClass[]> = (() => {
  const all = new Set<BodyClass>();
  const add = (bodyClass: BodyClass): void => {
    if (all.has(bodyClass)) return;
    all.add(bodyClass);
    for (const { nested } of sol003.attributesOf(bodyClass).values()) if (nested !== undefined) add(nested.of());
  };
  for (const [name, exported] of Object.entries(sol003))
    if (name.endsWith('Body') && typeof exported === 'function') add(exported as BodyClass);
  const names = new Set([...all].map(sol003.typeNameOf));
  return new Map([...names].map((name) => [name, [...all].filter((each) => sol003.typeNameOf(each) === name)]));
})();

const attributesOf = (type: string): Set<string> =>
  new Set((CLASSES.get(type) ?? []).flatMap((bodyClass) => [...sol003.attributesOf(bodyClass).keys()]));

const schema = (path: string) => JSON.parse(readFileSync(join(ETSI, path), 'utf8')) as { properties: Record<string, unknown> };

describe('every attribute of a request type', () => {
  it.each(Object.entries(STANDARD))('of %s is used, kept, told of or refused', (type, names) => {
    expect(Object.keys(MEMBERS[type] ?? {})).toEqual(expect.arrayContaining(names.split(' ')));
  });

  it('of ETSI’s schema of a Grant is, too', () => {
    const { properties } = schema('VNFLifecycleManagement-API/grant.schema.json');
    expect(Object.keys(MEMBERS.Grant ?? {})).toEqual(expect.arrayContaining(Object.keys(properties)));
  });

  it.each([...CLASSES.keys()])('of %s that validation knows stands in the table, in either version of the API', (type) => {
    expect(Object.keys(MEMBERS[type] ?? {})).toEqual(expect.arrayContaining([...attributesOf(type)]));
  });
});

describe('what the table says', () => {
  it('is of types that there are', () => {
    expect(Object.keys(MEMBERS).filter((type) => !CLASSES.has(type))).toEqual([]);
  });

  it.each(Object.entries(MEMBERS))('of %s: what is used is validated, and held by a test that is named', (type, fates) => {
    const used = Object.keys(fates).filter((name) => fates[name] === 'used');
    expect(used.filter((name) => !attributesOf(type).has(name))).toEqual([]);
    const held = (HELD[type] ?? []).map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');
    expect(used.filter((name) => !new RegExp(`\\b${name}\\b`).test(held))).toEqual([]);
  });

  it.each(Object.entries(MEMBERS))('of %s: a reason says what to do, or why nothing need be done', (_type, fates) => {
    for (const fate of Object.values(fates)) {
      if (typeof fate === 'string') continue;
      const reason = 'ignored' in fate ? fate.ignored : fate.refused;
      expect(reason).toMatch(/^(is|has) .*(: |; )\S/);
    }
  });
});
