import type { Secret } from '@windlass/foundation';
import { HttpProxy, type OutboundOptions } from '@windlass/outbound';
import { CoreServiceConfig } from './core-config.js';
import { asOutboundRules } from './outbound-rules.js';
import { ConfigError } from './read-config.js';
import { asProxyUrl } from './proxy-url.js';
import { asFlag } from './readers.js';
import { tlsFileProblems, type TlsFileNames } from './tls-files.js';
import { required, Variable } from './variable.js';

const FILES: TlsFileNames = { caFile: 'OUTBOUND_CA_FILE', certFile: 'OUTBOUND_CERT_FILE', keyFile: 'OUTBOUND_KEY_FILE' };

/** What a core service that connects to addresses of strangers (callbacks, NFVOs, packages) can be told beside. */
export class OutboundServiceConfig extends CoreServiceConfig {
  @Variable({
    name: 'OUTBOUND_ALLOW',
    meaning:
      'addresses that connections to callbacks, NFVOs and packages may go to although they are refused otherwise: loopback, link-local, multicast, metadata services of clouds',
    expected: 'addresses, with a port or without, and CIDRs, separated by commas, such as 127.0.0.1:8080; no host names',
    read: asOutboundRules('without hosts'),
  })
  readonly outboundAllow: readonly string[] = [];

  @Variable({
    name: 'OUTBOUND_DENY',
    meaning: 'where those connections never go',
    expected:
      'host names (*.example.com for those below), addresses, both with a port or without, and CIDRs, separated by commas',
    read: asOutboundRules('with hosts'),
  })
  readonly outboundDeny: readonly string[] = [];

  @Variable({
    name: 'OUTBOUND_ONLY',
    meaning: 'where alone those connections go; without it wherever they may',
    expected: 'as OUTBOUND_DENY',
    read: asOutboundRules('with hosts'),
  })
  readonly outboundOnly: readonly string[] = [];

  @Variable({
    name: 'OUTBOUND_PRIVATE',
    meaning: 'whether those connections may go to private networks (10.0.0.0/8 and its like, 100.64.0.0/10, fc00::/7)',
    expected: 'true or false',
    read: asFlag,
  })
  readonly outboundPrivate: boolean = true;

  @Variable({
    name: 'OUTBOUND_PROXY',
    meaning:
      'the HTTP proxy by which callbacks (with the token endpoints of their OAuth 2.0) and downloads of packages go: by CONNECT for https; the rules of OUTBOUND_ALLOW, OUTBOUND_DENY, OUTBOUND_ONLY and OUTBOUND_PRIVATE hold all the same. The NFVO of NFVO_URL is reached by NFVO_PROXY instead, and http_proxy and its like are not looked at',
    expected: 'a URL such as http://user:password@proxy.example.com:3128, whose password is shown nowhere',
    read: asProxyUrl,
    secret: true,
    optional: true,
  })
  readonly outboundProxy: Secret | undefined = required();

  @Variable({
    name: 'OUTBOUND_NO_PROXY',
    meaning: 'what is reached without OUTBOUND_PROXY; a name is compared as it stands in the URL',
    expected: 'as OUTBOUND_DENY',
    read: asOutboundRules('with hosts'),
  })
  readonly outboundNoProxy: readonly string[] = [];

  @Variable({
    name: 'OUTBOUND_CA_FILE',
    meaning: 'authorities that those connections trust beside the system’s; read again when it changes',
    expected: 'the path of a PEM file',
    optional: true,
  })
  readonly outboundCaFile: string | undefined = required();

  @Variable({
    name: 'OUTBOUND_CERT_FILE',
    meaning: 'the certificate that those connections show to who asks for one; read again when it changes',
    expected: 'the path of a PEM file; OUTBOUND_KEY_FILE with it',
    optional: true,
  })
  readonly outboundCertFile: string | undefined = required();

  @Variable({
    name: 'OUTBOUND_KEY_FILE',
    meaning: 'the key of OUTBOUND_CERT_FILE',
    expected: 'the path of a PEM file without a passphrase, mode 0600, or 0640 of root’s',
    optional: true,
  })
  readonly outboundKeyFile: string | undefined = required();
}

/**
 * How connections out are made, as configured.
 * @throws ConfigError a line for each file that can't be used, for a certificate and a key that do not belong together, and for a key that others may read
 */
export function outboundOf(config: OutboundServiceConfig): OutboundOptions & Required<Pick<OutboundOptions, 'rules' | 'tls'>> {
  const { outboundProxy, outboundNoProxy } = config;
  const { outboundCaFile: caFile, outboundCertFile: certFile, outboundKeyFile: keyFile } = config;
  const problems = tlsFileProblems(FILES, { caFile, certFile, keyFile });
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    rules: {
      allow: config.outboundAllow,
      deny: config.outboundDeny,
      only: config.outboundOnly,
      privateNetworks: config.outboundPrivate,
    },
    ...(outboundProxy === undefined ? {} : { proxy: new HttpProxy(outboundProxy, outboundNoProxy) }),
    tls: {
      ...(caFile === undefined ? {} : { caFile }),
      ...(certFile === undefined ? {} : { certFile }),
      ...(keyFile === undefined ? {} : { keyFile }),
    },
  };
}
