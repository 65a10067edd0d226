export { AddressRules, defaultOutboundRules, isOutboundRule, type OutboundRules, type Place } from './address-rules.js';
export { checkedAgents, checkedSocket, type Agents } from './checked-agents.js';
export type { ConnectionChecks, Resolve } from './connection-checks.js';
export { ADDRESS_REFUSED, CONNECT_TIMEOUT, PROXY_REFUSED } from './errors.js';
export { bare, HttpProxy, isProxyUrl } from './http-proxy.js';
export { placeOf, plainThrough, proxyRefused, placeThroughProxy } from './proxied.js';
export type { Download, DownloadRequest } from './download.js';
export {
  defaultOutboundLimits,
  OutboundClient,
  type OutboundAnswer,
  type OutboundAuth,
  type OutboundLimits,
  type OutboundOptions,
  type OutboundRequest,
} from './outbound-client.js';
export type { TlsFiles } from './tls-files.js';
