import type { JsonObject } from '@windlass/foundation';
import { LCM_OPERATION_TYPES, LCM_OPERATION_TYPES_V2, type LcmOperationTypeV2 } from '../operations/operations.js';
import {
  AUTH_TYPES,
  LCM_NOTIFICATION_TYPES,
  LCM_OPERATION_STATES,
  PACKAGE_OPERATIONAL_STATES,
  PACKAGE_USAGE_STATES,
  PKGM_NOTIFICATION_TYPES,
  type AuthType,
  type LcmNotificationType,
  type LcmOperationStateType,
  type PackageOperationalStateType,
  type PackageUsageStateType,
  type PkgmNotificationType,
} from '../types/enumerations.js';
import { Check, object, objects, Optional, Required, type Plain } from '../validation/attributes.js';
import { httpUrl, identifier, listOf, MAX_CALLED_URL, oneOf, orSingle, text, type Finding } from '../validation/rules.js';

/** Where Windlass calls; credentials have attributes of their own. */
const calledUrl = httpUrl({ max: MAX_CALLED_URL, user: false });

/** Versions of one product (SOL003 4.4.1.5). */
export type VersionFilter = Plain<VersionFilterBody>;
/** The rules of {@link VersionFilter}. */
export class VersionFilterBody {
  @Required(text({ min: 1 })) declare vnfSoftwareVersion: string;
  @Optional(listOf(text())) declare vnfdVersions?: string[];
}

/** One product of a provider. */
export type ProductFilter = Plain<ProductFilterBody>;
/** The rules of {@link ProductFilter}. */
export class ProductFilterBody {
  @Required(text({ min: 1 })) declare vnfProductName: string;
  @Optional(objects(() => VersionFilterBody)) declare versions?: VersionFilter[];
}

/** Products of one provider; all of them where none is named. */
export type ProviderFilter = Plain<ProviderFilterBody>;
/** The rules of {@link ProviderFilter}. */
export class ProviderFilterBody {
  @Required(text({ min: 1 })) declare vnfProvider: string;
  @Optional(objects(() => ProductFilterBody)) declare vnfProducts?: ProductFilter[];
}

/** Which instances (SOL003 4.4.1.5). All given members must match, of each list any. */
export type VnfInstanceSubscriptionFilter = Plain<VnfInstanceSubscriptionFilterBody>;
/** The rules of {@link VnfInstanceSubscriptionFilter}. */
export class VnfInstanceSubscriptionFilterBody {
  @Optional(listOf(identifier)) declare vnfdIds?: string[];
  @Optional(objects(() => ProviderFilterBody)) declare vnfProductsFromProviders?: ProviderFilter[];
  @Optional(listOf(identifier)) declare vnfInstanceIds?: string[];
  @Optional(listOf(text())) declare vnfInstanceNames?: string[];
}

/** Which lifecycle notifications (SOL003 5.5.3.12). */
export type LifecycleChangeNotificationsFilter = Plain<LifecycleChangeNotificationsFilterBody>;
/** The rules of {@link LifecycleChangeNotificationsFilter}. */
export class LifecycleChangeNotificationsFilterBody {
  @Optional(object(() => VnfInstanceSubscriptionFilterBody))
  declare vnfInstanceSubscriptionFilter?: VnfInstanceSubscriptionFilter;
  @Optional(listOf(oneOf(LCM_NOTIFICATION_TYPES))) declare notificationTypes?: LcmNotificationType[];
  @Optional(listOf(oneOf(LCM_OPERATION_TYPES))) declare operationTypes?: LcmOperationTypeV2[];
  @Optional(listOf(oneOf(LCM_OPERATION_STATES))) declare operationStates?: LcmOperationStateType[];
}

/** v2 has one more operation. */
export type LifecycleChangeNotificationsFilterV2 = Plain<LifecycleChangeNotificationsFilterV2Body>;
/** The rules of {@link LifecycleChangeNotificationsFilterV2}. */
export class LifecycleChangeNotificationsFilterV2Body extends LifecycleChangeNotificationsFilterBody {
  @Optional(listOf(oneOf(LCM_OPERATION_TYPES_V2))) declare operationTypes?: LcmOperationTypeV2[];
}

/** User and password for HTTP Basic. The password is a secret. */
export type ParamsBasic = Plain<ParamsBasicBody>;
/** The rules of {@link ParamsBasic}. */
export class ParamsBasicBody {
  @Required(text({ min: 1 })) declare userName: string;
  @Required(text()) declare password: string;
}

/** OAuth 2.0 client credentials. The client's password is a secret. */
export type ParamsOauth2ClientCredentials = Plain<ParamsOauth2ClientCredentialsBody>;
/** The rules of {@link ParamsOauth2ClientCredentials}. */
export class ParamsOauth2ClientCredentialsBody {
  @Required(text({ min: 1 })) declare clientId: string;
  @Required(text()) declare clientPassword: string;
  @Required(calledUrl) declare tokenEndpoint: string;
}

/** The parameters that each way needs: nothing is provisioned out of band here. */
const PARAMS_OF: Readonly<Record<AuthType, string>> = {
  BASIC: 'paramsBasic',
  OAUTH2_CLIENT_CREDENTIALS: 'paramsOauth2ClientCredentials',
};

function paramsFindings(value: JsonObject): Finding[] {
  const { authType } = value;
  if (!Array.isArray(authType)) return [];
  return Object.entries(PARAMS_OF)
    .filter(([type, params]) => authType.includes(type) && (value[params] ?? null) === null)
    .map(([type, params]) => ({
      at: `/${params}`,
      reason: `is required with authType ${type}: expected an object, got nothing`,
    }));
}

/** How Windlass is to authenticate at the callback (SOL013 8.3.4). Never echoed. */
export type SubscriptionAuthentication = Plain<SubscriptionAuthenticationBody>;
/** The rules of {@link SubscriptionAuthentication}. */
@Check(paramsFindings)
export class SubscriptionAuthenticationBody {
  @Required(listOf(oneOf(AUTH_TYPES), { min: 1 })) declare authType: AuthType[];
  @Optional(object(() => ParamsBasicBody)) declare paramsBasic?: ParamsBasic;
  @Optional(object(() => ParamsOauth2ClientCredentialsBody))
  declare paramsOauth2ClientCredentials?: ParamsOauth2ClientCredentials;
}

/** `POST /vnflcm/v1/subscriptions` (SOL003 5.5.2.15). Credentials belong into `authentication`, not into the URI. */
export type LccnSubscriptionRequest = Plain<LccnSubscriptionRequestBody>;
/** The rules of {@link LccnSubscriptionRequest}. */
export class LccnSubscriptionRequestBody {
  @Optional(object(() => LifecycleChangeNotificationsFilterBody)) declare filter?: LifecycleChangeNotificationsFilter;
  @Required(calledUrl) declare callbackUri: string;
  @Optional(object(() => SubscriptionAuthenticationBody)) declare authentication?: SubscriptionAuthentication;
}

/** In v2 a subscriber may want its notifications SHORT. `OAUTH2_CLIENT_CERT` of its standard is refused: nothing here sends it yet. */
export type LccnSubscriptionRequestV2 = Plain<LccnSubscriptionRequestV2Body>;
/** The rules of {@link LccnSubscriptionRequestV2}. */
export class LccnSubscriptionRequestV2Body {
  @Optional(object(() => LifecycleChangeNotificationsFilterV2Body)) declare filter?: LifecycleChangeNotificationsFilterV2;
  @Required(calledUrl) declare callbackUri: string;
  @Optional(object(() => SubscriptionAuthenticationBody)) declare authentication?: SubscriptionAuthentication;
  @Optional(oneOf(['FULL', 'SHORT'])) declare verbosity?: 'FULL' | 'SHORT';
}

/** Which package notifications (SOL003 9.5.3.4). */
export type PkgmNotificationsFilter = Plain<PkgmNotificationsFilterBody>;
/** The rules of {@link PkgmNotificationsFilter}. */
export class PkgmNotificationsFilterBody {
  @Optional(listOf(oneOf(PKGM_NOTIFICATION_TYPES))) declare notificationTypes?: PkgmNotificationType[];
  @Optional(objects(() => ProviderFilterBody)) declare vnfProductsFromProviders?: ProviderFilter[];
  @Optional(listOf(identifier)) declare vnfdId?: string[];
  @Optional(listOf(identifier)) declare vnfPkgId?: string[];
  @Optional(orSingle(listOf(oneOf(PACKAGE_OPERATIONAL_STATES)))) declare operationalState?: PackageOperationalStateType[];
  @Optional(orSingle(listOf(oneOf(PACKAGE_USAGE_STATES)))) declare usageState?: PackageUsageStateType[];
}

/** `POST /vnfpkgm/v1/subscriptions` (SOL003 9.5.2.6). */
export type PkgmSubscriptionRequest = Plain<PkgmSubscriptionRequestBody>;
/** The rules of {@link PkgmSubscriptionRequest}. */
export class PkgmSubscriptionRequestBody {
  @Optional(object(() => PkgmNotificationsFilterBody)) declare filter?: PkgmNotificationsFilter;
  @Required(calledUrl) declare callbackUri: string;
  @Optional(object(() => SubscriptionAuthenticationBody)) declare authentication?: SubscriptionAuthentication;
}
