/** A VIM with all that is needed to use it; made from the registry or the request when a step is claimed. */
export interface VimAccess {
  connectionId: string;
  authUrl: string;
  region?: string;
  username: string;
  /** Secret: plain only in a claim's sealed input. */
  password: string;
  userDomainName: string;
  /** Instead of the name. Absent in journals of older releases, as the other ids. */
  userDomainId?: string;
  /** Empty where the project is told by its id alone. */
  projectName: string;
  /** Which project, whatever its name and domain. */
  projectId?: string;
  projectDomainName: string;
  /** Instead of the name. */
  projectDomainId?: string;
  /** False only where the VIM was registered with `cert_verify: False`, or described with `skipCertificateVerification`. */
  verifyTls: boolean;
  /** False where its certificate may be for another name; its chain is verified all the same. */
  verifyHostname?: boolean;
  /** PEM of the CA that signed the VIM's certificates. */
  ca?: string;
}

/** A Kubernetes cluster with all that is needed to use it; made from the registry when a step is claimed. */
export interface ClusterAccess {
  connectionId: string;
  /** Of its API, https. */
  authUrl: string;
  /** Secret: plain only in a claim's sealed input. */
  token: string;
  /** PEM of the CA that signed the API's certificate; absent: one of the system's did. */
  ca?: string;
}
