/**
 * What becomes of a member of a request that is valid: it is `used` (what is made, or how, hangs on it), `kept` (shown as it was given, and told to drivers
 * and scripts), `ignored` (it has no effect, and a warning says so), or `refused` (400: an answer without it would be another than was asked for).
 */
export type Fate = 'used' | 'kept' | { readonly ignored: string } | { readonly refused: string };

type Fates = Readonly<Record<string, Fate>>;

const ignored = (reason: string): Fate => ({ ignored: reason });
const refused = (reason: string): Fate => ({ refused: reason });

const used = (...names: readonly string[]): Fates => Object.fromEntries(names.map((name) => [name, 'used']));

/** Windlass reaches its VIMs itself: SOL003's direct mode, in which no NFVO stands between. */
const INDIRECT = ignored('is of indirect mode, and Windlass asks VIMs itself: leave it out');
const RESERVATION = ignored('is not used: Windlass reserves nothing at a VIM; have the VIM hold the quota');
const LATER_SIZE = refused('is of a later SOL003: give the size by instantiationLevelId, and scale from there');
const ADDITIONAL_PARAMS = used('additionalParams');
const HEAL_SCRIPT = ignored(
  'is of SOL002 and runs nothing: what a heal does is its management driver’s matter; bind one to heal_start or heal_end in the VNFD',
);

/** By the standard's name of the type, with the members of SOL003 2.6.1 and 3.3.1, and what of other versions clients are known to send. */
export const MEMBERS: Readonly<Record<string, Fates>> = {
  CreateVnfRequest: { ...used('vnfdId', 'vnfInstanceName', 'vnfInstanceDescription'), metadata: 'kept' },
  InstantiateVnfRequest: {
    ...used('flavourId', 'instantiationLevelId', 'extVirtualLinks', 'extManagedVirtualLinks', 'vimConnectionInfo'),
    ...ADDITIONAL_PARAMS,
    localizationLanguage: ignored(
      'has no effect: no management driver takes a language; give it in additionalParams if yours does',
    ),
    extensions: 'kept',
    vnfConfigurableProperties: 'kept',
    targetScaleLevelInfo: LATER_SIZE,
    selectedDeployableModule: refused('is of a later SOL003: VNFs of this release have no deployable modules; leave it out'),
  },
  ScaleVnfRequest: { ...used('type', 'aspectId', 'numberOfSteps'), ...ADDITIONAL_PARAMS },
  ScaleVnfToLevelRequest: { ...used('instantiationLevelId', 'scaleInfo'), ...ADDITIONAL_PARAMS },
  ScaleInfo: used('aspectId', 'scaleLevel'),
  TerminateVnfRequest: { ...used('terminationType', 'gracefulTerminationTimeout'), ...ADDITIONAL_PARAMS },
  HealVnfRequest: { cause: 'kept', ...used('vnfcInstanceId'), ...ADDITIONAL_PARAMS, healScript: HEAL_SCRIPT },
  OperateVnfRequest: {
    ...used('changeStateTo', 'stopType', 'gracefulStopTimeout', 'vnfcInstanceId'),
    ...ADDITIONAL_PARAMS,
  },
  ChangeExtVnfConnectivityRequest: { ...used('extVirtualLinks', 'vimConnectionInfo'), ...ADDITIONAL_PARAMS },
  ChangeCurrentVnfPkgRequest: {
    // The task is answered with 404, whatever it is asked with.
    ...used('vnfdId', 'extVirtualLinks', 'extManagedVirtualLinks', 'vimConnectionInfo'),
    ...ADDITIONAL_PARAMS,
  },
  CancelMode: used('cancelMode'),
  VnfInfoModificationRequest: {
    ...used('vnfInstanceName', 'vnfInstanceDescription', 'vnfdId', 'vnfPkgId', 'vimConnectionInfo', 'vnfcInfoModifications'),
    metadata: 'kept',
    extensions: 'kept',
    vnfConfigurableProperties: 'kept',
    vnfcInfoModificationsDeleteIds: refused(
      'is of an older SOL003: take properties away by null in vnfcInfoModifications[].vnfcConfigurableProperties',
    ),
    vimConnectionInfoDeleteIds: refused(
      'is of an older SOL003: leave the connection out of the list vimConnectionInfo, or give null for it in v2’s map',
    ),
  },
  VnfcInfoModification: { id: 'used', vnfcConfigurableProperties: 'kept' },

  ExtVirtualLinkData: {
    ...used('id', 'vimConnectionId', 'resourceId', 'extCps', 'extLinkPorts'),
    resourceProviderId: INDIRECT,
  },
  VnfExtCpData: {
    ...used('cpdId', 'cpConfig'),
    createExtLinkPort: ignored('is of a later SOL003: a port is made unless linkPortId names a prepared one; leave it out'),
  },
  VnfExtCpConfig: {
    ...used('cpInstanceId', 'linkPortId', 'cpProtocolData', 'parentCpConfigId'),
    createExtLinkPort: ignored('is of a later SOL003: a port is made unless linkPortId names a prepared one; leave it out'),
    netAttDefResourceId: refused('is of a later SOL003: connect containers by the manifests of their package'),
  },
  CpProtocolData: {
    ...used('layerProtocol', 'ipOverEthernet'),
    ipForVirtualCp: refused('is of a later SOL003: services of containers have the addresses that their manifests say'),
  },
  IpOverEthernetAddressData: {
    ...used('macAddress', 'ipAddresses'),
    segmentationId: refused(
      'is not supported: ports of trunks and VLANs are the templates’ own; connect it to a network of that segment',
    ),
    segmentationType: refused(
      'is not supported: ports of trunks and VLANs are the templates’ own; connect it to a network of that segment',
    ),
  },
  IpAddressData: used('type', 'fixedAddresses', 'numDynamicAddresses', 'addressRange', 'subnetId'),
  IpAddressRangeData: used('minAddress', 'maxAddress'),
  ExtLinkPortData: {
    ...used('id', 'resourceHandle'),
    trunkResourceId: refused('is not supported: ports of trunks are the templates’ own; prepare a port of its own'),
  },
  ResourceHandleData: {
    ...used('vimConnectionId', 'resourceId'),
    resourceProviderId: INDIRECT,
    vimLevelResourceType: 'kept',
  },
  ExtManagedVirtualLinkData: {
    ...used('id', 'vnfVirtualLinkDescId', 'vimConnectionId', 'resourceId'),
    resourceProviderId: INDIRECT,
    vnfLinkPort: refused('is not supported: ports on managed networks are made by the templates; leave it out'),
    vnfLinkPorts: refused('is not supported: ports on managed networks are made by the templates; leave it out'),
    extManagedMultisiteVirtualLinkId: ignored('has no effect: a VNF lies in one VIM; leave it out'),
    netAttDefResourceData: refused('is of a later SOL003: connect containers by the manifests of their package'),
  },
  VimConnectionInfoData: { ...used('id', 'vimId', 'vimType', 'interfaceInfo', 'accessInfo'), extra: 'kept' },
  VimConnectionInfoPatch: { ...used('id', 'vimId', 'vimType', 'interfaceInfo', 'accessInfo'), extra: 'kept' },

  LccnSubscriptionRequest: used('filter', 'callbackUri', 'authentication', 'verbosity'),
  LifecycleChangeNotificationsFilter: used(
    'vnfInstanceSubscriptionFilter',
    'notificationTypes',
    'operationTypes',
    'operationStates',
  ),
  VnfInstanceSubscriptionFilter: used('vnfdIds', 'vnfProductsFromProviders', 'vnfInstanceIds', 'vnfInstanceNames'),
  ProviderFilter: used('vnfProvider', 'vnfProducts'),
  ProductFilter: used('vnfProductName', 'versions'),
  VersionFilter: used('vnfSoftwareVersion', 'vnfdVersions'),
  SubscriptionAuthentication: {
    ...used('authType', 'paramsBasic', 'paramsOauth2ClientCredentials'),
    paramsOauth2ClientCert: refused('is not supported: give authType BASIC or OAUTH2_CLIENT_CREDENTIALS, with their parameters'),
  },
  ParamsBasic: used('userName', 'password'),
  ParamsOauth2ClientCredentials: used('clientId', 'clientPassword', 'tokenEndpoint'),
  PkgmSubscriptionRequest: used('filter', 'callbackUri', 'authentication'),
  PkgmNotificationsFilter: used(
    'notificationTypes',
    'vnfProductsFromProviders',
    'vnfdId',
    'vnfPkgId',
    'operationalState',
    'usageState',
  ),
  CreateVnfPkgInfoRequest: { userDefinedData: 'kept' },
  UploadVnfPackageFromUriRequest: used('addressInformation', 'userName', 'password'),
  VnfPkgInfoModification: { operationalState: 'used', userDefinedData: 'kept' },

  Grant: {
    ...used('id', 'vnfInstanceId', 'vnfLcmOpOccId', 'vimConnections', 'zones', 'addResources', 'removeResources'),
    ...used('updateResources', 'vimAssets', 'extVirtualLinks', 'extManagedVirtualLinks', '_links'),
    ...ADDITIONAL_PARAMS,
    vimConnectionInfo: refused('is of a later SOL003: Windlass asks as 2.6.1, where the member is the list vimConnections'),
    zoneGroups: ignored('is not used: servers have a zone each; give their zoneId in addResources'),
    tempResources: ignored('is not used: Windlass asks for none'),
    computeReservationId: RESERVATION,
    networkReservationId: RESERVATION,
    storageReservationId: RESERVATION,
  },
  GrantLinks: {
    self: 'used',
    // The standard wants them, and they are Windlass's own.
    vnfLcmOpOcc: 'kept',
    vnfInstance: 'kept',
  },
  GrantLink: used('href'),
  GrantInfo: {
    ...used('resourceDefinitionId', 'vimConnectionId', 'zoneId'),
    reservationId: RESERVATION,
    resourceProviderId: INDIRECT,
    resourceGroupId: ignored('is not used: a VNF lies in the project that its VIM connection names'),
  },
  ZoneInfo: {
    ...used('id', 'zoneId'),
    vimConnectionId: ignored('is not used: all zones of a grant are of the VIM that the VNF lies in'),
    resourceProviderId: INDIRECT,
  },
  VimAssets: {
    ...used('computeResourceFlavours', 'softwareImages'),
    snapshotResources: ignored('is not used: this release makes no VNF of a snapshot'),
  },
  ComputeResourceFlavour: {
    ...used('vnfdVirtualComputeDescId', 'vimFlavourId'),
    vimConnectionId: ignored('is not used: all assets of a grant are of the VIM that the VNF lies in'),
    resourceProviderId: INDIRECT,
  },
  SoftwareImage: {
    ...used('vnfdSoftwareImageId', 'vimSoftwareImageId'),
    vimConnectionId: ignored('is not used: all assets of a grant are of the VIM that the VNF lies in'),
    resourceProviderId: INDIRECT,
  },
};
