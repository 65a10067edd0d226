export { AddressRules, defaultOutboundRules, isOutboundRule, type OutboundRules } from './address-rules.js';
export type { Resolve } from './checked-agents.js';
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
