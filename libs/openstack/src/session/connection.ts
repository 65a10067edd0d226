import type { Secret } from '@windlass/foundation';
import type { HttpProxy } from '@windlass/outbound';
import type { TlsOptions } from '../http/tls-options.js';

/** A domain or project named by its name, or by its id where names are not unique enough. */
export type NameOrId = string | { id: string };

/** User name and password, the usual case. Domains default to `Default`. */
export interface PasswordCredentials {
  kind: 'password';
  username: string;
  password: Secret;
  userDomain?: NameOrId;
  /** Absent: an unscoped token, good for Keystone only. */
  project?: NameOrId;
  projectDomain?: NameOrId;
}

/** An application credential carries its own project; it is named by id, or by name and its owner. */
export interface ApplicationCredentials {
  kind: 'application-credential';
  id?: string;
  name?: string;
  username?: string;
  userDomain?: NameOrId;
  secret: Secret;
}

/** A token somebody else got. It is exchanged for one of our own, which ends when the given one does. */
export interface TokenCredentials {
  kind: 'token';
  token: Secret;
  project?: NameOrId;
  projectDomain?: NameOrId;
}

export type VimCredentials = PasswordCredentials | ApplicationCredentials | TokenCredentials;

/** Which of a service's endpoints in the catalog is used. */
export type EndpointInterface = 'public' | 'internal' | 'admin';

/** One OpenStack as one user of it sees it. */
export interface VimConnection {
  /** Keystone, with or without `/v3`. */
  authUrl: string;
  credentials: VimCredentials;
  /** The region whose endpoints are used. Absent: the first one in the catalog. */
  region?: string;
  /** `public` by default. */
  interface?: EndpointInterface;
  tls?: TlsOptions;
  /** Instead of the rules' own (`AddressRules.proxy`). The proxy variables of the environment are never looked at. */
  proxy?: HttpProxy;
}
