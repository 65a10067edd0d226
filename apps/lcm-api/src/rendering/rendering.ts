import { SecretPlaces } from '@windlass/foundation';
import {
  connectionsOf,
  propertiesOf,
  taskConditionsOf,
  type DesiredState,
  type InstantiatedState,
  type ListedInstance,
  type ListedOpOcc,
  type OperationTable,
  type OpOccRecord,
  type VnfInstanceRecord,
} from '@windlass/lifecycle';
import {
  APIS,
  opOccUrl,
  renderOpOcc,
  renderVnfInstance,
  renderVnfPkgInfo,
  toV1,
  vnfInstanceUrl,
  vnfPackageUrl,
  type VimConnectionInfo,
  type VnfInstance,
  type VnfLcmOpOcc,
  type VnfPkgInfo,
} from '@windlass/sol003';
import type { PublicUrl } from '../links/public-url.js';
import type { DriverSecrets } from '../drivers/driver-secrets.js';
import { EXTENSIONS, extensionLinks } from '../links/extension-links.js';

const LCM = APIS.vnflcmV1.uriPrefix;
const PACKAGES = APIS.vnfpkgmV1.uriPrefix;

/** A package as it is answered, but for its links. */
export type PackageView = Omit<VnfPkgInfo, '_links'> & { windlassWarnings?: string[] };

/** Renders records as the API's answers: secrets masked as the drivers say, links from the public URL. This is done nowhere else. */
export class Rendering {
  constructor(
    private readonly publicUrl: PublicUrl,
    private readonly drivers: { readonly secrets: Pick<DriverSecrets, 'of'> },
    private readonly operations: OperationTable,
  ) {}

  async vnfInstance(record: VnfInstanceRecord): Promise<VnfInstance> {
    const { instantiated } = record;
    const secrets = instantiated === null ? SecretPlaces.none : await this.drivers.secrets.of(instantiated.drivers);
    const offered = this.operations.tasksOf(taskConditionsOf(record));
    return renderVnfInstance(asVnfInstance(record), this.publicUrl.of(LCM), secrets, offered);
  }

  /** With what lists show by default, in which no driver's parameters are. */
  listedInstance(listed: ListedInstance): VnfInstance {
    const offered = this.operations.tasksOf(listed);
    return renderVnfInstance(asListedInstance(listed), this.publicUrl.of(LCM), SecretPlaces.none, offered);
  }

  /** @param pastPivot the step beyond which nothing can be rolled back, where the operation stands past it: then no roll-back is offered */
  async opOcc(record: OpOccRecord, pastPivot: string | undefined): Promise<VnfLcmOpOcc> {
    const secrets = await this.drivers.secrets.of(record.draft.drivers);
    const shown = renderOpOcc(
      { ...asOpOcc(record), operationParams: toV1(record.request) },
      this.publicUrl.of(LCM),
      { pastPivot },
      secrets,
    );
    return withGrantLink(shown, record.draft.grantUrl);
  }

  /** As {@link opOcc}, with what lists show by default. */
  listedOpOcc(listed: ListedOpOcc, pastPivot: string | undefined): VnfLcmOpOcc {
    const shown = renderOpOcc(asListedOpOcc(listed), this.publicUrl.of(LCM), { pastPivot });
    return withGrantLink(shown, listed.grantUrl ?? undefined);
  }

  /** The `Link` header of an operation occurrence: where what SOL003 does not have is. */
  extensionLinks(operationId: string): string {
    return extensionLinks(operationId, this.publicUrl.root);
  }

  /** An occurrence as notifications tell of it: what is told is told as {@link opOcc} does. */
  async opOccAsNotified(record: OpOccRecord): Promise<VnfLcmOpOcc> {
    const secrets = await this.drivers.secrets.of(record.draft.drivers);
    return renderOpOcc(asOpOcc(record), this.publicUrl.of(LCM), {}, secrets);
  }

  vnfPackage(view: PackageView): VnfPkgInfo {
    return renderVnfPkgInfo(view, this.publicUrl.of(PACKAGES));
  }

  /** Where a resource is found, for `Location`. */
  vnfInstanceUrl(id: string): string {
    return vnfInstanceUrl(this.publicUrl.of(LCM), id);
  }

  opOccUrl(id: string): string {
    return opOccUrl(this.publicUrl.of(LCM), id);
  }

  vnfPackageUrl(id: string): string {
    return vnfPackageUrl(this.publicUrl.of(PACKAGES), id);
  }

  auditUrl(id: string): string {
    return this.publicUrl.of(`${EXTENSIONS}/audits/${id}`);
  }
}

/** What a list shows of an instance by default, as the standard has it, with nothing masked yet. */
export const asListedInstance = (record: Omit<ListedInstance, 'scaleStatus'>): Omit<VnfInstance, '_links'> => ({
  id: record.id,
  ...(record.vnfInstanceName === null ? {} : { vnfInstanceName: record.vnfInstanceName }),
  ...(record.vnfInstanceDescription === null ? {} : { vnfInstanceDescription: record.vnfInstanceDescription }),
  vnfdId: record.vnfdId,
  vnfProvider: record.vnfProvider,
  vnfProductName: record.vnfProductName,
  vnfSoftwareVersion: record.vnfSoftwareVersion,
  vnfdVersion: record.vnfdVersion,
  vnfPkgId: record.vnfPkgId,
  instantiationState: record.instantiationState,
});

/** An instance as the standard has it, with nothing masked yet. */
export const asVnfInstance = (record: VnfInstanceRecord): Omit<VnfInstance, '_links'> => ({
  ...asListedInstance(record),
  ...(record.metadata === null ? {} : { metadata: record.metadata }),
  vimConnectionInfo: shownConnections(record),
  ...ownProperties(record),
  ...(record.instantiated === null
    ? {}
    : { instantiatedVnfInfo: { ...withCertificates(record.instantiated), ...paramsOf(record.desired) } }),
});

/** Adds the ends of the cluster's certificates to the metadata, which the standard's schema leaves free. */
function withCertificates({ info, certificates }: InstantiatedState): InstantiatedState['info'] {
  if (certificates === undefined) return info;
  const told = {
    lookedAt: certificates.lookedAt,
    certificates: certificates.certificates.map(({ master, name, endsAt }) => ({
      master,
      name,
      endsAt: new Date(endsAt * 1_000).toISOString(),
    })),
  };
  return { ...info, metadata: { ...info.metadata, [CERTIFICATES]: told } };
}

/** The member of `instantiatedVnfInfo.metadata`. */
const CERTIFICATES = 'windlassCertificates';

/** All connections of an instance, with the project's default VIM where the instance's resources name that. */
function shownConnections(record: VnfInstanceRecord): VimConnectionInfo[] {
  const connections = connectionsOf(record);
  const { vimId, connectionId } = record.instantiated?.vim ?? {};
  if (vimId === undefined || connectionId === undefined || connections.some(({ id }) => id === connectionId)) return connections;
  return [{ id: connectionId, vimId, vimType: 'openstack' }, ...connections];
}

function ownProperties(record: VnfInstanceRecord): Pick<VnfInstance, 'extensions' | 'vnfConfigurableProperties'> {
  const { vnfcs: _vnfcs, ...properties } = propertiesOf(record);
  return properties;
}

const paramsOf = (desired: VnfInstanceRecord['desired']): Pick<DesiredState, 'additionalParams'> =>
  desired?.additionalParams === undefined ? {} : { additionalParams: desired.additionalParams };

/** Adds the link to the NFVO's grant (SOL003 5.5.2.13). A local grant has no link. */
const withGrantLink = <T extends VnfLcmOpOcc>(shown: T, grantUrl: string | undefined): T =>
  grantUrl === undefined || shown._links === undefined
    ? shown
    : { ...shown, _links: { ...shown._links, grant: { href: grantUrl } } };

/** What a list shows of an occurrence by default, as the standard has it. */
export const asListedOpOcc = (record: Omit<ListedOpOcc, 'grantUrl'>): Omit<VnfLcmOpOcc, '_links'> => ({
  id: record.id,
  operationState: record.operationState,
  stateEnteredTime: record.stateEnteredTime.toISOString(),
  startTime: record.startTime.toISOString(),
  vnfInstanceId: record.vnfInstanceId,
  operation: record.operation,
  isAutomaticInvocation: record.isAutomaticInvocation,
  isCancelPending: record.isCancelPending,
  ...(record.grantId === null ? {} : { grantId: record.grantId }),
  ...(record.cancelMode === null ? {} : { cancelMode: record.cancelMode }),
});

/** An operation occurrence as the standard has it, with nothing masked yet. */
export const asOpOcc = (record: OpOccRecord): Omit<VnfLcmOpOcc, '_links'> => ({
  ...asListedOpOcc(record),
  operationParams: record.request,
  ...(record.error === null ? {} : { error: record.error }),
  ...(record.resourceChanges === null ? {} : { resourceChanges: record.resourceChanges }),
  ...(record.draft.changedInfo === undefined ? {} : { changedInfo: record.draft.changedInfo }),
  ...(record.draft.changedExtConnectivity === undefined ? {} : { changedExtConnectivity: record.draft.changedExtConnectivity }),
});
