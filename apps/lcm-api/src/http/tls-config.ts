import { OutboundServiceConfig, required, Variable } from '@windlass/service-kit';

/** How the REST API is encrypted. */
export class ServerTlsConfig extends OutboundServiceConfig {
  @Variable({
    name: 'LCM_TLS_CERT_FILE',
    meaning: 'the certificate of the REST API, which is served by https then, TLS 1.2 at least; read again when it changes',
    expected: 'the path of a file with a certificate in PEM, those of its issuers behind it',
    optional: true,
  })
  readonly tlsCertFile: string | undefined = required();

  @Variable({
    name: 'LCM_TLS_KEY_FILE',
    meaning: 'the private key of LCM_TLS_CERT_FILE; nobody else may read it',
    expected: 'the path of a file with a private key in PEM without a passphrase, mode 0600',
    optional: true,
  })
  readonly tlsKeyFile: string | undefined = required();

  @Variable({
    name: 'LCM_TLS_CLIENT_CA_FILE',
    meaning:
      'whom certificates of clients must be from; clients without one get no connection then, and say who they are as all do. Read again when it changes',
    expected: 'the path of a file with certificates in PEM',
    optional: true,
  })
  readonly tlsClientCaFile: string | undefined = required();
}
