/** How the certificate of the VIM is looked at. */
export interface TlsOptions {
  /** True unless the operator says otherwise in so many words. */
  verify?: boolean;
  /** Whether the certificate must be for the name that is connected to; true unless said otherwise. Its chain is verified all the same. */
  verifyHostname?: boolean;
  /** PEM text of one or more CA certificates, used instead of the machine's own. */
  ca?: string;
}
