import type { JsonObject } from '@windlass/foundation';
import { InstantiateVnfRequestBody, validated, type VimConnectionInfo } from '@windlass/sol003';
import type { VimAccess } from './vim-access.js';

/**
 * How the certificate of a VIM that only a request describes is verified, by SOL003's `interfaceInfo` (4.4.1.6.2); fully by default.
 * `skipCertificateHostnameCheck` allows a certificate for another name, and the chain is still verified. Only `skipCertificateVerification` switches
 * verification off. Both count only as `true`.
 */
export const describedTls = (interfaceInfo: JsonObject): Pick<VimAccess, 'verifyTls' | 'verifyHostname' | 'ca'> => ({
  verifyTls: interfaceInfo.skipCertificateVerification !== true,
  ...(interfaceInfo.skipCertificateHostnameCheck === true ? { verifyHostname: false } : {}),
  ...(typeof interfaceInfo.trustedCertificates === 'string' ? { ca: interfaceInfo.trustedCertificates } : {}),
});

/** The connections that a request names or describes: all operations that have them have them as the instantiation has. */
export const vimsDescribedIn = (request: JsonObject): VimConnectionInfo[] =>
  validated(InstantiateVnfRequestBody, request).vimConnectionInfo ?? [];
