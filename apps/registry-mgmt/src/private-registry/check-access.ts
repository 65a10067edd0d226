import type { RequestCheck } from '@windlass/driver-kit';
import { expiryOf, hasNames } from './certificate.js';
import type { AccessParams } from './parameters.js';

const LOGIN = ['registry_username', 'registry_password'] as const;
const TLS = ['tls_certificate', 'tls_key'] as const;

/** Checks login and certificate, for what the schema can't say. The first step checks whether the key fits, because it is masked here. */
export function checkAccess(check: RequestCheck, params: AccessParams): void {
  for (const pair of [LOGIN, TLS]) bothOrNeither(check, params, pair);
  const { tls_certificate: certificate } = params;
  if (certificate === undefined) return;
  const expiry = expiryOf(certificate);
  if (expiry === undefined)
    check.wrong('/tls_certificate', "can't be read: certificates in PEM were expected. Is it whole, with its line breaks?");
  else if (expiry.getTime() <= Date.now())
    check.wrong('/tls_certificate', `has expired at ${expiry.toISOString()}: no client would take it`);
  else if (!hasNames(certificate))
    check.warn('tls_certificate has no subjectAltName: containerd and Docker take it for no name and no address');
}

function bothOrNeither(check: RequestCheck, params: AccessParams, [one, other]: typeof LOGIN | typeof TLS): void {
  for (const [missing, given] of [
    [one, other],
    [other, one],
  ] as const)
    if (params[missing] === undefined && params[given] !== undefined)
      check.wrong(`/${missing}`, `is missing, and ${given} is given: both or neither were expected`);
}

/** A warning about what anybody who reaches the registry can do; undefined where it has both login and TLS. */
export function whatIsOpen({ registry_username: user, tls_certificate: certificate }: AccessParams): string | undefined {
  if (user === undefined && certificate === undefined)
    return `the registry speaks plain HTTP without a login: whoever reaches it pulls and pushes images, and whoever is on the way changes them. ${[...LOGIN, ...TLS].join(', ')} close it`;
  if (user === undefined)
    return `the registry has no login: whoever reaches it pulls and pushes images. ${LOGIN.join(' and ')} close it`;
  if (certificate === undefined)
    return `the registry speaks plain HTTP: whoever is on the way reads the password and changes images. ${TLS.join(' and ')} close it`;
  return undefined;
}
