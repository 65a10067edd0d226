export { AddressRules, defaultOutboundRules, isOutboundRule, type OutboundRules, type Place } from './address-rules.js';
export { checkedAgents, checkedSocket, type Agents, type ConnectionChecks, type Resolve } from './checked-agents.js';
export { ADDRESS_REFUSED, CONNECT_TIMEOUT } from './errors.js';
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
