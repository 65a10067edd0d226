/** Whose packages are taken. Plain data. */
export interface TrustedSigners {
  /** Certificates in PEM, one each: of authorities, or of signers themselves. */
  certificates: readonly string[];
  /** Whether a package without a signature is refused. */
  required: boolean;
}

/** Bytes of a signature, and of a file of certificates. A signature by RSA with a chain of three is 6 KiB. */
export const SIGNATURE_BYTES = 64 * 1_024;

/** Certificates beside one signature. */
export const MOST_CERTIFICATES = 20;

/** Who signs one package: its maker, and perhaps its operator's acceptance. */
export const MOST_SIGNERS = 4;
