import { InvariantError, isJsonObject, Secret, type Json } from '@windlass/foundation';
import type { OutboundAuth } from '@windlass/outbound';

/** How to say who we are at a callback: OAuth 2.0 where it is among the ways that the subscriber offers, else BASIC (SOL013 8.3.4). */
export function callbackAuth(authentication: object | null | undefined): OutboundAuth | undefined {
  if (!isJsonObject(authentication) || !Array.isArray(authentication.authType)) return undefined;
  const { authType, paramsOauth2ClientCredentials: oauth2, paramsBasic: basic } = authentication;
  if (authType.includes('OAUTH2_CLIENT_CREDENTIALS') && isJsonObject(oauth2))
    return {
      kind: 'oauth2',
      clientId: text(oauth2.clientId),
      clientPassword: new Secret(text(oauth2.clientPassword)),
      tokenEndpoint: text(oauth2.tokenEndpoint),
    };
  if (authType.includes('BASIC') && isJsonObject(basic))
    return { kind: 'basic', userName: text(basic.userName), password: new Secret(text(basic.password)) };
  return undefined;
}

/** Validated when it was subscribed. */
function text(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  throw new InvariantError('the credentials of a subscription are not as they were validated');
}
