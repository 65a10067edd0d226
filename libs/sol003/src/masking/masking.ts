import { masked, SecretPlaces, secretTextsIn, withoutTexts } from '@windlass/foundation';

/**
 * Members of a VIM's credentials that say who uses it and where, as the reference system, its clients and ETSI's registry spell them. All others
 * are secret, whatever their name.
 */
export const SHOWN_ACCESS = [
  ...['username', 'user_id', 'userId', 'user_domain_name', 'user_domain_id', 'userDomain', 'userDomainName', 'userDomainId'],
  ...['project', 'project_name', 'project_id', 'projectName', 'projectId', 'project_domain_name', 'project_domain_id'],
  ...[
    'projectDomain',
    'projectDomainName',
    'projectDomainId',
    'tenant',
    'tenant_name',
    'region',
    'region_name',
    'auth_url',
    'authUrl',
  ],
  ...['cert_verify', 'ca_cert', 'ssl_ca_cert', 'client_id', 'clientId', 'oidc_token_url', 'type'],
] as const;

/** The same of a VIM's `extra`: free by the standard, so only what the reference system reads itself and is no secret is shown. */
export const SHOWN_EXTRA = ['use_helm'] as const;

/** A VIM's credentials and its `extra`. */
export const accessSecrets = SecretPlaces.allBut(SHOWN_ACCESS);
/** Places of the secrets in a VIM's `extra`: all but {@link SHOWN_EXTRA}. */
export const extraSecrets = SecretPlaces.allBut(SHOWN_EXTRA);

const connectionSecrets = SecretPlaces.union([
  accessSecrets.at('vimConnectionInfo', '*', 'accessInfo'),
  extraSecrets.at('vimConnectionInfo', '*', 'extra'),
]);
const opOccSecrets = SecretPlaces.union([connectionSecrets.at('operationParams'), connectionSecrets.at('changedInfo')]);

/** A copy of what has `vimConnectionInfo` in it, a request or an instance's attributes: credentials and secrets by name are masked. */
export const maskedAttributes = <T>(attributes: T): T => masked(attributes, connectionSecrets);

/**
 * A copy of an instance that may be shown: `accessInfo`, `extra`, `additionalParams` and whatever else holds secrets is masked.
 * @param params where secrets lie in `additionalParams`, as drivers say
 */
export const maskedVnfInstance = <T extends object>(instance: T, params = SecretPlaces.none): T =>
  masked(instance, SecretPlaces.union([connectionSecrets, params.at('instantiatedVnfInfo', 'additionalParams')]));

/** A copy of an operation occurrence that may be shown: its `operationParams`, `changedInfo` and `error`, which may quote the former, are masked. */
export function maskedOpOcc<T extends { operationParams?: unknown; error?: unknown }>(opOcc: T, params = SecretPlaces.none): T {
  const places = SecretPlaces.union([opOccSecrets, params.at('operationParams', 'additionalParams')]);
  const shown = masked(opOcc, places);
  if (shown.error === undefined || shown.error === null) return shown;
  return { ...shown, error: withoutTexts(shown.error, hiddenTexts(opOcc.operationParams, params)) };
}

/** What is masked of a request's body, to be masked where others quote it. */
export const hiddenTexts = (request: unknown, params = SecretPlaces.none): string[] =>
  secretTextsIn(request, requestSecrets(params));

/** The same of several, which are about one thing: what one shows in the clear is no secret of another. */
export const hiddenTextsOf = (requests: readonly unknown[], params = SecretPlaces.none): string[] =>
  secretTextsIn(requests, requestSecrets(params).at('*'));

const requestSecrets = (params: SecretPlaces): SecretPlaces =>
  SecretPlaces.union([connectionSecrets, params.at('additionalParams')]);
