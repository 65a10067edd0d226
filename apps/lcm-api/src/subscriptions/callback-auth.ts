import { isJsonObject, Secret } from '@windlass/foundation';
import type { OutboundAuth } from '@windlass/outbound';

/** How to say who we are at a callback: OAuth 2.0 where it is among the ways that the subscriber offers, else BASIC (SOL013 8.3.4). */
export function callbackAuth(authentication: object | null | undefined): OutboundAuth | undefined {
  if (!isJsonObject(authentication) || !Array.isArray(authentication.authType)) return undefined;
  const { authType, paramsOauth2ClientCredentials: oauth2, paramsBasic: basic } = authentication;
  if (authType.includes('OAUTH2_CLIENT_CREDENTIALS') && isJsonObject(oauth2))
    return {
      kind: 'oauth2',
      clientId: String(oauth2.clientId),
      clientPassword: new Secret(String(oauth2.clientPassword)),
      tokenEndpoint: String(oauth2.tokenEndpoint),
    };
  if (authType.includes('BASIC') && isJsonObject(basic))
    return { kind: 'basic', userName: String(basic.userName), password: new Secret(String(basic.password)) };
  return undefined;
}
